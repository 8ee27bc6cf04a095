/** `leave`: at the third the process ends whatever it does. `ignored`: a hang-up that changes nothing. */
export type InterruptLevel = 'drain' | 'cancel' | 'leave' | 'ignored';

/** How a command learns that it should end. */
export interface Interrupts {
  /** Aborted on the first Ctrl-C, SIGTERM or SIGHUP: no new work. */
  readonly drain: AbortSignal;
  /** Aborted on the second: everything ends at once. */
  readonly cancel: AbortSignal;
  /** Called at each signal that counts, for what to tell the user. */
  onInterrupt(listener: (level: InterruptLevel) => void): void;
}

/** The part of `process` that delivers signals. */
export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
}

export interface InterruptOptions {
  readonly source: SignalSource;
  /** Whether one of the standard streams is a terminal. */
  readonly hasTerminal: boolean;
  readonly leave: () => void;
}

/**
 * Turns signals into levels: the first drains, the second cancels, a third calls `leave`, since a user who presses
 * Ctrl-C three times wants the prompt back. A SIGHUP never raises the level: terminals send it more than once. Without a
 * terminal it is ignored: it comes from one that the run was detached from (`nohup`, whose own way, a signal that is
 * ignored from the start, Node undoes).
 */
export function watchInterrupts({ source, hasTerminal, leave }: InterruptOptions): Interrupts {
  const drain = new AbortController();
  const cancel = new AbortController();
  const listeners: ((level: InterruptLevel) => void)[] = [];
  const raise = () => {
    if (!drain.signal.aborted) {
      tell('drain');
      drain.abort();
    } else if (!cancel.signal.aborted) {
      tell('cancel');
      cancel.abort();
    } else {
      tell('leave');
      leave();
    }
  };
  const tell = (level: InterruptLevel) => {
    for (const listener of listeners) {
      listener(level);
    }
  };
  source.on('SIGINT', raise);
  source.on('SIGTERM', raise);
  source.on('SIGHUP', () => {
    if (!hasTerminal) {
      tell('ignored');
    } else if (!drain.signal.aborted) {
      raise();
    }
  });
  return {
    drain: drain.signal,
    cancel: cancel.signal,
    onInterrupt: (listener) => void listeners.push(listener),
  };
}

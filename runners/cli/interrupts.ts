/** How a command learns that it should end. */
export interface Interrupts {
  /** Aborted on the first Ctrl-C, SIGTERM or SIGHUP: no new work. */
  readonly drain: AbortSignal;
  /** Aborted on the second: everything ends at once. */
  readonly cancel: AbortSignal;
  /** Called once a level, with what to tell the user. */
  onInterrupt(listener: (level: 'drain' | 'cancel') => void): void;
}

/** The part of `process` that delivers signals. */
export interface SignalSource {
  on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
}

/**
 * Turns signals into two levels: the first drains, the second cancels, a third calls `leave`, since a user who presses
 * Ctrl-C three times wants the prompt back. A SIGHUP never raises the level: terminals send it more than once.
 */
export function watchInterrupts(source: SignalSource, leave: () => void): Interrupts {
  const drain = new AbortController();
  const cancel = new AbortController();
  const listeners: ((level: 'drain' | 'cancel') => void)[] = [];
  const raise = () => {
    if (!drain.signal.aborted) {
      tell('drain');
      drain.abort();
    } else if (!cancel.signal.aborted) {
      tell('cancel');
      cancel.abort();
    } else {
      leave();
    }
  };
  const tell = (level: 'drain' | 'cancel') => {
    for (const listener of listeners) {
      listener(level);
    }
  };
  source.on('SIGINT', raise);
  source.on('SIGTERM', raise);
  source.on('SIGHUP', () => {
    if (!drain.signal.aborted) {
      raise();
    }
  });
  return {
    drain: drain.signal,
    cancel: cancel.signal,
    onInterrupt: (listener) => void listeners.push(listener),
  };
}

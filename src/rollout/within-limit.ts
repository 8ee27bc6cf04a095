import type { Clock } from '../clock.js';

/** How a piece of work ended: done, or given up because time or patience ran out. */
export type Limited<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'timeout' }
  | { readonly state: 'aborted' };

export interface LimitOptions<T> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Null: no limit of its own, only the signal. */
  readonly timeoutMs: number | null;
  /** Gets a value that came after the work was given up: what it holds must still be released. */
  onLate?(value: T): void;
}

/**
 * Waits for work that might never end. The work gets a signal that aborts when it is given up; whether it obeys or not,
 * this resolves at once. Rejects only with what the work itself rejects with before that.
 */
export function withinLimit<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { clock, signal, timeoutMs, onLate }: LimitOptions<T>,
): Promise<Limited<T>> {
  if (signal.aborted) {
    return Promise.resolve({ state: 'aborted' });
  }
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    let settled = false;
    const settle = (): boolean => {
      if (settled) {
        return false;
      }
      settled = true;
      stopTimer();
      signal.removeEventListener('abort', onAbort);
      return true;
    };
    const giveUp = (state: 'timeout' | 'aborted') => {
      if (settle()) {
        resolve({ state });
        controller.abort(signal.reason);
      }
    };
    const onAbort = () => giveUp('aborted');
    const stopTimer =
      timeoutMs === null ? () => {} : clock.after(timeoutMs, () => giveUp('timeout'));
    signal.addEventListener('abort', onAbort, { once: true });
    invoke(work, controller.signal).then(
      (value) => {
        if (settle()) {
          resolve({ state: 'done', value });
        } else {
          onLate?.(value);
        }
      },
      (thrown) => {
        // A rejection after the work was given up is nobody's business any more.
        if (settle()) {
          reject(thrown);
        }
      },
    );
  });
}

/** Work that throws before its first await rejects like any other. */
async function invoke<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) {
  return await work(signal);
}

import type { Clock } from '../clock.js';
import { LazyAbort } from '../lazy-abort.js';
import { startWork } from '../start-work.js';

/** How a piece of work ended: done, or given up because time or patience ran out. */
export type Limited<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'timeout' }
  | { readonly state: 'aborted' };

/** Gives the signal that aborts when the work is given up. It is made when it is asked for. */
export type Aborting = Pick<LazyAbort, 'signal'>;

export interface LimitOptions<T> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Null: no limit of its own, only the signal. */
  readonly timeoutMs: number | null;
  /** Gets a value that came after the work was given up: what it holds must still be released. */
  onLate?(value: T): void;
}

/**
 * Waits for work that might never end. The work can ask for a signal that aborts when it is given up; whether it obeys or not,
 * this resolves at once. Rejects only with what the work itself rejects with before that.
 */
export function withinLimit<T>(
  work: (abort: Aborting) => Promise<T>,
  { clock, signal, timeoutMs, onLate }: LimitOptions<T>,
): Promise<Limited<T>> {
  if (signal.aborted) {
    return Promise.resolve({ state: 'aborted' });
  }
  return new Promise((resolve, reject) => {
    const abort = new LazyAbort();
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
        abort.abort(signal.reason);
      }
    };
    const onAbort = () => giveUp('aborted');
    const stopTimer =
      timeoutMs === null ? () => {} : clock.after(timeoutMs, () => giveUp('timeout'));
    signal.addEventListener('abort', onAbort, { once: true });
    startWork(() => work(abort)).then(
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

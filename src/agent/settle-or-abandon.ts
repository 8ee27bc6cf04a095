import type { Clock } from '../clock.js';
import type { AbortLike } from '../lazy-abort.js';
import { startWork } from '../start-work.js';

/** How a piece of work ended. `abandoned`: it was aborted, and did not end in time. */
export type Settled<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly thrown: unknown }
  | { readonly state: 'abandoned' };

/** What bounds the work. */
export interface SettleOptions {
  readonly signal: AbortLike;
  /** What work may still take after the abort, to hand over what it has. */
  readonly graceMs: number;
  readonly clock: Clock;
}

/**
 * Waits for work that should end when `signal` aborts, and goes on without it when it does not. Never rejects. What
 * abandoned work comes to later is dropped, a rejection too. Leaves no listener and no timer behind.
 */
export function settleOrAbandon<T>(
  work: () => Promise<T>,
  { signal, graceMs, clock }: SettleOptions,
): Promise<Settled<T>> {
  return new Promise((resolve) => {
    let cancelGrace = () => {};
    const settle = (settled: Settled<T>) => {
      signal.removeEventListener('abort', onAbort);
      cancelGrace();
      resolve(settled);
    };
    const onAbort = () => {
      cancelGrace = clock.after(graceMs, () => settle({ state: 'abandoned' }));
    };
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
    }
    startWork(work).then(
      (value) => settle({ state: 'done', value }),
      (thrown: unknown) => settle({ state: 'failed', thrown }),
    );
  });
}

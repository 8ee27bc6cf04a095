import type { AbortLike } from './lazy-abort.js';

/** Time as a parameter, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch: for time stamps. */
  now(): number;
  /** Milliseconds that only go up: for durations. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortLike): Promise<void>;
  /** Calls back once after `ms` unless the returned function was called first. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** A timer fires at once for a longer delay; so much is 24 days, and nobody waits for it. */
const longestDelayMs = 2 ** 31 - 1;

/** The real clock. Waits of more than 24 days end after 24 days. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, longestDelayMs));
      signal?.addEventListener('abort', done, { once: true });
    });
  },
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, longestDelayMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

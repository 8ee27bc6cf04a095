import type { Clock } from '../src/clock.js';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /**
   * Lets `ms` pass: fires what falls due, in order, each at its own time, and lets pending promises run after each
   * timer, so that a loop that sleeps again and again is carried along. Await it.
   */
  advance(ms: number): Promise<void>;
  /** Timers and sleepers that still wait. 0 when nothing was left behind. */
  readonly waiting: number;
}

/** As the timers of Node: a longer delay is taken for 1 ms, which is a trap that tests should fall into. */
const longestTimerMs = 2 ** 31 - 1;

/** Makes a {@link FakeClock}. `now` is where the time of day starts; `monotonic` starts at 0. */
export function fakeClock({ now = 1_767_225_600_000 }: { readonly now?: number } = {}): FakeClock {
  interface Timer {
    readonly due: number;
    readonly fire: () => void;
  }
  const timers = new Set<Timer>();
  let elapsed = 0;

  const after = (ms: number, callback: () => void): (() => void) => {
    const delay = ms > longestTimerMs ? 1 : Math.max(0, ms);
    const timer = { due: elapsed + delay, fire: callback };
    timers.add(timer);
    return () => {
      timers.delete(timer);
    };
  };

  const nextDue = (limit: number): Timer | null => {
    let first: Timer | null = null;
    for (const timer of timers) {
      if (timer.due <= limit && (first === null || timer.due < first.due)) {
        first = timer;
      }
    }
    return first;
  };

  return {
    now: () => now + elapsed,
    monotonic: () => elapsed,
    after,
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) {
          resolve();
          return;
        }
        const done = () => {
          stop();
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const stop = after(ms, done);
        signal?.addEventListener('abort', done, { once: true });
      });
    },
    async advance(ms) {
      const target = elapsed + ms;
      await settlePromises();
      for (let timer = nextDue(target); timer !== null; timer = nextDue(target)) {
        elapsed = Math.max(elapsed, timer.due);
        timers.delete(timer);
        timer.fire();
        await settlePromises();
      }
      elapsed = target;
    },
    get waiting() {
      return timers.size;
    },
  };
}

/** Resolves after every promise that is ready has run. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

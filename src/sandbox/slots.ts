import { TalariaError } from '../errors.js';

/** Lets so many callers at a time pass, in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs `work` once there is a place. An abort before that rejects with `sandbox_unavailable`. */
  async run<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#free += 1;
      } else {
        next();
      }
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) {
      throw cancelled();
    }
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(cancelled());
      };
      const enter = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function cancelled(): TalariaError {
  return new TalariaError({
    code: 'sandbox_unavailable',
    message: 'The sandbox cannot be used: it was cancelled before it had started.',
  });
}

import { TalariaError } from '../errors.js';

/** Lets so many callers at a time pass, in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs `work` once there is a place. An abort before that rejects with `sandbox_unavailable`. */
  async run<Value>(work: () => Promise<Value>, ...signals: readonly AbortSignal[]): Promise<Value> {
    await this.#enter(signals);
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

  async #enter(signals: readonly AbortSignal[]): Promise<void> {
    if (signals.some(({ aborted }) => aborted)) {
      throw cancelled();
    }
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        for (const signal of signals) {
          signal.removeEventListener('abort', onAbort);
        }
      };
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        settle();
        reject(cancelled());
      };
      const enter = () => {
        settle();
        resolve();
      };
      this.#waiting.push(enter);
      for (const signal of signals) {
        signal.addEventListener('abort', onAbort, { once: true });
      }
    });
  }
}

const bySize = new Map<number, Slots>();

/** The places for commands in this thread, shared by all of its sandboxes. */
export function execSlots(count: number): Slots {
  const slots = bySize.get(count) ?? new Slots(count);
  bySize.set(count, slots);
  return slots;
}

function cancelled(): TalariaError {
  return new TalariaError({
    code: 'sandbox_unavailable',
    message: 'The sandbox cannot be used: it was cancelled before it had started.',
  });
}

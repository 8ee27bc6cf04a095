/** A worker thread as far as its silence goes. */
interface Watched {
  readonly ready: boolean;
  readonly silentMs: number;
}

/** A worker that gives no sign of life for so long is stuck in a loop. */
export const stuckAfterMs = 60_000;
/** How often to look. */
export const watchEveryMs = stuckAfterMs / 10;

/**
 * Finds the worker threads that are stuck. A process that was stopped (Ctrl-Z) and goes on finds all of them silent, though
 * they were stopped with it: a look that comes late tells nothing.
 */
export class StuckWatch {
  readonly #now: () => number;
  #lookedAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#lookedAt = now();
  }

  stuck<Lane extends Watched>(lanes: Iterable<Lane>): readonly Lane[] {
    const now = this.#now();
    const late = now - this.#lookedAt > 2 * watchEveryMs;
    this.#lookedAt = now;
    return late ? [] : [...lanes].filter((lane) => lane.ready && lane.silentMs > stuckAfterMs);
  }
}

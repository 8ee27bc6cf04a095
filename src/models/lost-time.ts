import type { Clock } from '../clock.js';

/**
 * The time that calls spent without getting anywhere: failed attempts and the waits after them. An attempt that is
 * still open counts too, since nobody can tell yet whether the server works on it; once it succeeds, it was work.
 */
export class LostTime {
  readonly #clock: Clock;
  /** When each open attempt or wait began. */
  readonly #open = new Set<{ readonly since: number }>();
  #lostMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins an attempt or a wait. Call what it returns when that is over. */
  begin(): (lost: boolean) => void {
    const span = { since: this.#clock.monotonic() };
    this.#open.add(span);
    return (lost) => {
      if (this.#open.delete(span) && lost) {
        this.#lostMs += this.#clock.monotonic() - span.since;
      }
    };
  }

  /** Milliseconds so far. Goes down when an open attempt succeeds. */
  get ms(): number {
    const now = this.#clock.monotonic();
    let total = this.#lostMs;
    for (const { since } of this.#open) {
      total += now - since;
    }
    return total;
  }
}

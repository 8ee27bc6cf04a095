import type { Clock } from '../clock.js';

/** How long the calls of one model have waited for the server: see {@link Model.waitedMs}. */
export class WaitMeter {
  readonly #clock: Clock;
  #endedMs = 0;
  #since: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds, a wait that still lasts included. */
  get ms(): number {
    return this.#endedMs + (this.#since === null ? 0 : this.#clock.monotonic() - this.#since);
  }

  /** A wait began at this time, unless one lasts already. */
  begin(at: number): void {
    this.#since ??= at;
  }

  /** The wait that lasts, if one does, ended at this time. */
  end(at: number): void {
    if (this.#since !== null) {
      this.#endedMs += at - this.#since;
      this.#since = null;
    }
  }
}

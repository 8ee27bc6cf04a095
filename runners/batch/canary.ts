/** Outcomes that are looked at, and how many of them must fail alike. */
const watched = 10;
const alike = 5;

/** Watches the first outcomes of a run: when they fail alike, the rest would too, and money is better spent on a fix. */
export class Canary {
  #seen = 0;
  readonly #failures = new Map<string, number>();

  /** Takes an outcome; returns why the run should stop, or null. */
  observe(errorClass: string | null): string | null {
    if (this.#seen >= watched) {
      return null;
    }
    this.#seen += 1;
    if (errorClass === null) {
      return null;
    }
    const count = (this.#failures.get(errorClass) ?? 0) + 1;
    this.#failures.set(errorClass, count);
    return count >= alike
      ? `${count} of the first ${this.#seen} rollouts failed with ${errorClass}; mend the cause first, or pass --no-canary to run on regardless`
      : null;
  }
}

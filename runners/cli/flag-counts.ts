/** How many rows of an export have which flag. */
export class FlagCounts {
  readonly #counts = new Map<string, number>();

  add(flag: string): void {
    this.#counts.set(flag, (this.#counts.get(flag) ?? 0) + 1);
  }

  /** One line for the user, or nothing when no row was flagged. */
  text(): string {
    const parts = [...this.#counts].map(([flag, count]) => `${flag} ${count}`);
    return parts.length === 0
      ? ''
      : `Rows that could not be written faithfully are flagged: ${parts.join(', ')}\n`;
  }
}

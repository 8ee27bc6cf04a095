interface Holder {
  readonly lease: number;
  readonly attempt: number;
}

/**
 * Who holds which rollout. Kept in memory alone: leases prove nothing across starts, since every holder is a thread of
 * the one process that writes the run. Grows with the rollouts in flight, not with the run.
 */
export class Leases {
  readonly #holders = new Map<number, Holder>();
  #last = 0;

  /** Gives the rollout to a new holder; what an earlier one sends from now on is stale. */
  grant(rolloutId: number, attempt: number): number {
    this.#last += 1;
    this.#holders.set(rolloutId, { lease: this.#last, attempt });
    return this.#last;
  }

  isCurrent(rolloutId: number, lease: number): boolean {
    return this.#holders.get(rolloutId)?.lease === lease;
  }

  /** The attempt that is under way, or null when nobody holds the rollout. */
  attempt(rolloutId: number): number | null {
    return this.#holders.get(rolloutId)?.attempt ?? null;
  }

  release(rolloutId: number): void {
    this.#holders.delete(rolloutId);
  }
}

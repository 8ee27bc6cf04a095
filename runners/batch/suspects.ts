import type { PendingRollout, RolloutHandle, RunStore } from '../store/run-store.js';

export interface SuspectsOptions {
  readonly store: RunStore;
  /** Puts an unsuspected rollout back into the queue. */
  release(pending: PendingRollout): void;
  onChange(): void;
  /** A culprit was found; the sentence says which and why. */
  onQuarantine(message: string): void;
  onError(thrown: unknown): void;
}

/**
 * Finds out which rollout kills workers. When a thread dies, its rollouts are taken back uncharged. The one that last
 * acted there, and any that was present at two deaths, runs again alone; one whose thread dies while it is alone, or that
 * is known for certain, is stored as failed with its reason.
 */
export class Suspects {
  readonly #options: SuspectsOptions;
  readonly #waiting: PendingRollout[] = [];
  readonly #deaths = new Map<number, number>();
  #pendingCalls = 0;

  constructor(options: SuspectsOptions) {
    this.#options = options;
  }

  /** Whether suspects wait for the isolation lane. */
  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether rollouts of a dead thread are still being taken back. */
  get busy(): boolean {
    return this.#pendingCalls > 0;
  }

  take(): PendingRollout | null {
    return this.#waiting.shift() ?? null;
  }

  /** A rollout ended by itself: it is suspected no more. */
  clear(rolloutId: number): void {
    this.#deaths.delete(rolloutId);
  }

  onDeath(
    held: readonly RolloutHandle[],
    last: { readonly rolloutId: number; readonly certain: boolean } | null,
    alone: boolean,
    reason: string,
  ): void {
    for (const pending of held) {
      const { rolloutId } = pending;
      const actedLast = last?.rolloutId === rolloutId;
      if (alone || (actedLast && last.certain)) {
        this.#quarantine(pending, reason);
        continue;
      }
      const deaths = (this.#deaths.get(rolloutId) ?? 0) + 1;
      this.#deaths.set(rolloutId, deaths);
      this.#takeBack(rolloutId, actedLast || deaths > 1);
    }
  }

  #quarantine(pending: RolloutHandle, reason: string): void {
    const message = `It ended its worker thread: ${reason}`;
    this.#call(
      this.#options.store.fail(pending.rolloutId, { class: 'worker_crash', message }),
      () =>
        this.#options.onQuarantine(
          `Task ${pending.taskKey.slice(0, 12)} sample ${pending.sample} is put aside as failed. ${message}`,
        ),
    );
  }

  #takeBack(rolloutId: number, suspected: boolean): void {
    this.#call(this.#options.store.reclaim(rolloutId), (pending) => {
      if (pending === null) {
        return;
      }
      if (suspected) {
        this.#waiting.push(pending);
      } else {
        this.#options.release(pending);
      }
    });
  }

  #call<Result>(call: Promise<Result>, then: (result: Result) => void): void {
    this.#pendingCalls += 1;
    call.then(
      (result) => {
        this.#pendingCalls -= 1;
        then(result);
        this.#options.onChange();
      },
      (thrown: unknown) => {
        this.#pendingCalls -= 1;
        this.#options.onError(thrown);
      },
    );
  }
}

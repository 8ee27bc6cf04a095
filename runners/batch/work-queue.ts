import type { PendingRollout, RunStore } from '../store/run-store.js';

export interface WorkQueueOptions {
  readonly store: RunStore;
  /** Rollouts that are kept ready in memory. */
  readonly prefetch: number;
  /** Called when there may be something new to take. */
  onChange(): void;
  onError(thrown: unknown): void;
}

/** What is to run next: what came back from a dead worker or waits for another attempt, then the store's plan, in order. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #returned: PendingRollout[] = [];
  /** What was taken of it is gone from it: tasks can be big. */
  #fetched: (PendingRollout | null)[] = [];
  #position = 0;
  #fetching = false;
  #planComplete = false;
  #exhausted = false;
  /** The plan grew while a fetch that may not have seen it was under way. */
  #grew = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** True once there is nothing to take and nothing will come but what is returned. */
  get drained(): boolean {
    return this.#exhausted && this.#ready === 0 && this.#returned.length === 0;
  }

  take(): PendingRollout | null {
    const returned = this.#returned.shift();
    if (returned !== undefined) {
      return returned;
    }
    const pending = this.#fetched[this.#position];
    if (pending === undefined || pending === null) {
      this.#refill();
      return null;
    }
    this.#fetched[this.#position] = null;
    this.#position += 1;
    if (this.#ready <= this.#options.prefetch / 2) {
      this.#refill();
    }
    return pending;
  }

  /** Puts a rollout back, before everything else. */
  putBack(pending: PendingRollout): void {
    this.#returned.push(pending);
    this.#options.onChange();
  }

  /** Tells that the plan has grown, or is complete. */
  planGrew(complete: boolean): void {
    this.#planComplete ||= complete;
    this.#grew = true;
    this.#refill();
  }

  get #ready(): number {
    return this.#fetched.length - this.#position;
  }

  #refill(): void {
    if (this.#fetching || this.#exhausted || this.#ready >= this.#options.prefetch) {
      return;
    }
    this.#fetching = true;
    this.#grew = false;
    const planWasComplete = this.#planComplete;
    this.#options.store.next(this.#options.prefetch - this.#ready).then(
      (more) => {
        this.#fetching = false;
        this.#fetched = [...this.#fetched.slice(this.#position), ...more];
        this.#position = 0;
        this.#exhausted = planWasComplete && more.length === 0;
        this.#options.onChange();
        if (this.#grew) {
          this.#refill();
        }
      },
      (thrown: unknown) => {
        this.#fetching = false;
        this.#options.onError(thrown);
      },
    );
  }
}

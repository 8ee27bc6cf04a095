import type { ModelPrice } from '../../src/models/model-provider.js';
import { usageCost } from '../../src/rollout/usage-cost.js';
import type { RunProgress } from '../reporters/reporter.js';
import type { RunCounts, Spent } from '../store/run-store.js';
import type { RolloutDone } from './lane-protocol.js';
import type { Metered } from './metered.js';

/** Adds up what the progress display shows, from the sums of the lanes and from outcomes; asks the store for totals only now and then. */
export class ProgressMeter {
  readonly #startedAt: number;
  readonly #now: () => number;
  readonly #price: ModelPrice | null;
  #total = 0;
  #planning = true;
  #done = 0;
  #failed = 0;
  #discarded = 0;
  #finishedNow = 0;
  /** Of these, failures that only a later start tries again. */
  #givenUpNow = 0;
  #modelCalls = 0;
  #promptTokens = 0;
  #completionTokens = 0;
  #retries = 0;
  #spentBefore = 0;
  #spentNow = 0;

  constructor(now: () => number, price: ModelPrice | null) {
    this.#now = now;
    this.#price = price;
    this.#startedAt = now();
  }

  get modelCalls(): number {
    return this.#modelCalls;
  }

  get finishedNow(): number {
    return this.#finishedNow;
  }

  /** US dollars over all starts of the run, or null when no price is known. */
  get costUsd(): number | null {
    return this.#price === null ? null : this.#spentBefore + this.#spentNow;
  }

  /** What the run had cost when this start began: replies that are replayed are in it, and are not counted again. */
  startFrom({ outcomesUsd, usage }: Spent): void {
    this.#spentBefore = this.#price === null ? 0 : outcomesUsd + usageCost(usage, this.#price);
  }

  /** Takes over the store's totals: when the plan has grown, and at the end. */
  synchronise(counts: RunCounts, planning: boolean): void {
    const { completed, truncated, failed, discarded } = counts.byStatus;
    // The store keeps the last failure of what is still to be repeated: from an earlier start, or in this one.
    const toRepeat =
      completed + truncated + failed + discarded - (counts.rollouts - counts.pending);
    this.#total = counts.rollouts;
    this.#planning = planning;
    this.#done = counts.rollouts - counts.pending + this.#givenUpNow;
    this.#failed = failed - toRepeat + this.#givenUpNow;
    this.#discarded = discarded;
  }

  /** So many rollouts are planned by now. */
  planGrew(rollouts: number): void {
    this.#total = rollouts;
  }

  add({ modelCalls, promptTokens, cachedTokens, completionTokens, retries }: Metered): void {
    this.#modelCalls += modelCalls;
    this.#promptTokens += promptTokens;
    this.#completionTokens += completionTokens;
    this.#retries += retries;
    if (this.#price !== null) {
      const usage = {
        prompt_tokens: promptTokens,
        cached_tokens: cachedTokens,
        completion_tokens: completionTokens,
      };
      this.#spentNow += usageCost(usage, this.#price);
    }
  }

  outcome(done: RolloutDone, final: boolean): void {
    if (!final) {
      return;
    }
    this.#finishedNow += 1;
    this.#givenUpNow += done.status === 'failed' && done.retryable ? 1 : 0;
    this.#done += 1;
    this.#failed += done.status === 'failed' ? 1 : 0;
    this.#discarded += done.status === 'discarded' ? 1 : 0;
  }

  snapshot(running: number): RunProgress {
    return {
      total: this.#total,
      planning: this.#planning,
      done: this.#done,
      failed: this.#failed,
      discarded: this.#discarded,
      running,
      finishedNow: this.#finishedNow,
      modelCalls: this.#modelCalls,
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      retries: this.#retries,
      costUsd: this.costUsd,
      elapsedMs: this.#now() - this.#startedAt,
    };
  }
}

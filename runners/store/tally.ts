import type { Database, Statement } from 'better-sqlite3';
import type { RolloutStatus } from '../../src/rollout/exit-reason.js';
import type { RunCounts } from './run-store.js';

/** Sums over some outcomes of one status. */
export interface TallyEntry {
  readonly status: RolloutStatus;
  readonly outcomes: number;
  readonly final: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly model_calls: number;
  readonly cost_usd: number;
  readonly priced: number;
}

/** SQL for the columns of a {@link TallyEntry}, over rows of `outcome`. */
export const tallyColumns = `
  status, count(*) AS outcomes, sum(final) AS final, sum(prompt_tokens) AS prompt_tokens,
  sum(completion_tokens) AS completion_tokens, sum(model_calls) AS model_calls,
  total(cost_usd) AS cost_usd, count(cost_usd) AS priced`;

/** Running sums over the outcomes of the current pass. Changes reach the database with {@link Tally.save}. */
export class Tally {
  readonly #entries = new Map<RolloutStatus, TallyEntry>();
  readonly #changed = new Set<RolloutStatus>();
  readonly #write: Statement<[TallyEntry]>;

  constructor(database: Database) {
    this.#write = database.prepare(
      `INSERT OR REPLACE INTO tally VALUES (@status, @outcomes, @final, @prompt_tokens, @completion_tokens,
       @model_calls, @cost_usd, @priced)`,
    );
    for (const entry of database.prepare<[], TallyEntry>('SELECT * FROM tally').iterate()) {
      this.#entries.set(entry.status, entry);
    }
  }

  add(entry: TallyEntry): void {
    this.#apply(entry, 1);
  }

  subtract(entry: TallyEntry): void {
    this.#apply(entry, -1);
  }

  /** Starts from nothing, for a new pass. */
  clear(): void {
    for (const [status, entry] of this.#entries) {
      this.#apply({ ...entry, status }, -1);
    }
  }

  /** Writes what changed, within the transaction that changed it. */
  save(): void {
    for (const status of this.#changed) {
      const entry = this.#entries.get(status);
      if (entry !== undefined) {
        this.#write.run(entry);
      }
    }
    this.#changed.clear();
  }

  counts(tasks: number, samples: number): RunCounts {
    return countsOf([...this.#entries.values()], tasks, tasks * samples);
  }

  #apply(entry: TallyEntry, sign: 1 | -1): void {
    const old = this.#entries.get(entry.status);
    const priced = (old?.priced ?? 0) + sign * entry.priced;
    this.#entries.set(entry.status, {
      status: entry.status,
      outcomes: (old?.outcomes ?? 0) + sign * entry.outcomes,
      final: (old?.final ?? 0) + sign * entry.final,
      prompt_tokens: (old?.prompt_tokens ?? 0) + sign * entry.prompt_tokens,
      completion_tokens: (old?.completion_tokens ?? 0) + sign * entry.completion_tokens,
      model_calls: (old?.model_calls ?? 0) + sign * entry.model_calls,
      // No rounding error may outlive the last outcome that has a price.
      cost_usd: priced === 0 ? 0 : (old?.cost_usd ?? 0) + sign * entry.cost_usd,
      priced,
    });
    this.#changed.add(entry.status);
  }
}

/** Counts of a plan of so many rollouts from the sums over its outcomes. */
export function countsOf(
  entries: readonly TallyEntry[],
  tasks: number,
  rollouts: number,
): RunCounts {
  const byStatus = { completed: 0, truncated: 0, failed: 0, cancelled: 0, discarded: 0 };
  let final = 0;
  let promptTokens = 0;
  let completionTokens = 0;
  let modelCalls = 0;
  let cost = 0;
  let priced = 0;
  for (const entry of entries) {
    byStatus[entry.status] += entry.outcomes;
    final += entry.final;
    promptTokens += entry.prompt_tokens;
    completionTokens += entry.completion_tokens;
    modelCalls += entry.model_calls;
    cost += entry.cost_usd;
    priced += entry.priced;
  }
  return {
    tasks,
    rollouts,
    pending: rollouts - final,
    byStatus,
    promptTokens,
    completionTokens,
    modelCalls,
    costUsd: priced === 0 ? null : cost,
  };
}

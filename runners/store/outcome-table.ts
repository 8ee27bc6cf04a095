import type { Database, Statement, Transaction } from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';
import type { RolloutStatus } from '../../src/rollout/exit-reason.js';
import type { JournalTable } from './journal-table.js';
import type { Leases } from './leases.js';
import type { PlanTable } from './plan-table.js';
import { rolloutIdOf, splitRolloutId } from './rollout-id.js';
import type { Outcome } from './run-store.js';
import { isFatal } from './store-error.js';
import { type Tally, type TallyEntry, tallyColumns } from './tally.js';

const earlierColumns =
  'attempt, start, status, exit_reason, error_class, error_message, model_calls, prompt_tokens, completion_tokens, ' +
  'cost_usd, seconds';

type OutcomeColumns = Omit<Outcome, 'rewards' | 'toolStats' | 'record' | 'lease' | 'retryable'> & {
  readonly start: number;
  readonly final: 0 | 1;
};

/** How rollouts ended: columns, rewards, tool statistics and the record, always together. */
export class OutcomeTable {
  readonly #start: number;
  readonly #plan: PlanTable;
  readonly #tally: Tally;
  readonly #leases: Leases;
  readonly #journal: JournalTable;
  readonly #find: Statement<[number], TallyEntry & { readonly attempt: number }>;
  readonly #archive: Statement<[number]>;
  readonly #removals: readonly Statement<[number]>[];
  readonly #insert: Statement<[OutcomeColumns]>;
  readonly #insertRecord: Statement<[number, Uint8Array]>;
  readonly #insertReward: Statement<[number, number, string, string, number | null]>;
  readonly #insertTool: Statement<[number, string, number, number, number]>;
  /** Nested, so a savepoint: it costs as much as all else, and hardly any rollout ends twice. */
  readonly #guarded: Transaction<(body: () => void) => void>;
  readonly #closeTask: Statement<[number, number, number, number]>;
  readonly #failedNow: Statement<[number, string], number>;
  readonly #setOpen: Statement<[number]>;
  readonly #openTask: Statement<[number]>;

  constructor(
    database: Database,
    start: number,
    parts: { plan: PlanTable; tally: Tally; leases: Leases; journal: JournalTable },
  ) {
    this.#start = start;
    this.#plan = parts.plan;
    this.#tally = parts.tally;
    this.#leases = parts.leases;
    this.#journal = parts.journal;
    this.#find = database.prepare(
      `SELECT attempt, ${tallyColumns} FROM outcome WHERE id = ? GROUP BY id`,
    );
    this.#archive = database.prepare(
      `INSERT OR REPLACE INTO earlier_attempt (rollout_id, ${earlierColumns})
       SELECT id, ${earlierColumns} FROM outcome WHERE id = ?`,
    );
    this.#removals = [
      'outcome WHERE id',
      'record WHERE rollout_id',
      'reward WHERE rollout_id',
      'tool_stat WHERE rollout_id',
    ].map((table) => database.prepare(`DELETE FROM ${table} = ?`));
    this.#insert = database.prepare(
      `INSERT INTO outcome (id, attempt, start, final, status, exit_reason, error_class, error_message, discard_reason,
         reward, turns, turns_with_reasoning, model_calls, replayed_calls, wasted_calls, retries, prompt_tokens,
         completion_tokens, cached_tokens, reasoning_tokens, cost_usd, seconds)
       VALUES (@rolloutId, @attempt, @start, @final, @status, @exitReason, @errorClass, @errorMessage, @discardReason,
         @reward, @turns, @turnsWithReasoning, @modelCalls, @replayedCalls, @wastedCalls, @retries, @promptTokens,
         @completionTokens, @cachedTokens, @reasoningTokens, @costUsd, @seconds)`,
    );
    this.#insertRecord = database.prepare('INSERT INTO record VALUES (?, ?)');
    this.#insertReward = database.prepare('INSERT INTO reward VALUES (?, ?, ?, ?, ?)');
    this.#insertTool = database.prepare('INSERT INTO tool_stat VALUES (?, ?, ?, ?, ?)');
    this.#guarded = database.transaction((body: () => void) => body());
    this.#failedNow = database
      .prepare<[number, string], number>(
        `SELECT id FROM outcome WHERE start = ? AND final = 1 AND status = 'failed' AND error_class = ?`,
      )
      .pluck();
    this.#setOpen = database.prepare('UPDATE outcome SET final = 0 WHERE id = ?');
    this.#openTask = database.prepare('UPDATE task SET open = 1 WHERE id = ?');
    this.#closeTask = database.prepare(
      `UPDATE task SET open = 0 WHERE id = ? AND
       (SELECT count(*) FROM outcome WHERE id >= ? AND id < ? AND final = 1) >= ?`,
    );
  }

  commit(outcome: Outcome): 'stored' | 'stale' {
    const { rolloutId, lease, retryable, rewards, toolStats, record, ...columns } = outcome;
    if (!this.#leases.isCurrent(rolloutId, lease)) {
      return 'stale';
    }
    const final = isFinal(outcome.status, retryable);
    const insertParts = () => {
      this.#insertRecord.run(rolloutId, record);
      for (const [position, reward] of rewards.entries()) {
        const value = finite(reward.value, `reward ${reward.name}`);
        this.#insertReward.run(rolloutId, position, reward.name, reward.state, value);
      }
      for (const [tool, stat] of Object.entries(toolStats)) {
        this.#insertTool.run(rolloutId, tool, stat.count, stat.success, stat.failure);
      }
    };
    this.#replace(
      { ...columns, rolloutId, start: this.#start, final: final ? 1 : 0 },
      insertParts,
      final ? () => this.#journal.remove(rolloutId) : () => {},
    );
    return 'stored';
  }

  /** A final failure without a record. Its journal stays: it is all that the rollout left. */
  fail(rolloutId: number, error: { readonly class: string; readonly message: string }): void {
    const before = this.#find.get(rolloutId);
    if (before?.final === 1) {
      return;
    }
    const columns: OutcomeColumns = {
      rolloutId,
      attempt: this.#leases.attempt(rolloutId) ?? (before?.attempt ?? 0) + 1,
      start: this.#start,
      final: 1,
      status: 'failed',
      exitReason: 'environment_error',
      errorClass: error.class,
      errorMessage: error.message,
      discardReason: null,
      reward: null,
      turns: 0,
      turnsWithReasoning: 0,
      modelCalls: 0,
      replayedCalls: 0,
      wastedCalls: 0,
      retries: 0,
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      reasoningTokens: 0,
      costUsd: null,
      seconds: 0,
    };
    this.#replace(
      columns,
      () => {},
      () => {},
    );
  }

  /**
   * Makes this start's final failures of a class such as a later start tries again: what made them all fail alike lies
   * outside of them.
   */
  reopen(errorClass: string): void {
    for (const id of this.#failedNow.all(this.#start, errorClass)) {
      const before = this.#find.get(id);
      if (before === undefined) {
        continue;
      }
      this.#setOpen.run(id);
      this.#openTask.run(splitRolloutId(id).taskId);
      this.#tally.subtract(before);
      this.#tally.add({ ...before, final: 0 });
    }
  }

  /** Leaves nothing of an outcome that cannot be stored. `last` removes what cannot be made again. */
  #replace(columns: OutcomeColumns, insertParts: () => void, last: () => void): void {
    const { rolloutId } = columns;
    const before = this.#find.get(rolloutId);
    const write = () => {
      this.#write(columns, insertParts);
      last();
    };
    if (before === undefined) {
      try {
        write();
      } catch (thrown) {
        if (!isFatal(thrown)) {
          this.#remove(rolloutId);
        }
        throw thrown;
      }
    } else {
      this.#guarded(() => {
        this.#archive.run(rolloutId);
        this.#remove(rolloutId);
        write();
      });
    }
    // Memory follows only now, when no statement can fail any more. Whoever holds a lease got it from this pass.
    if (before !== undefined) {
      this.#tally.subtract(before);
    }
    this.#tally.add({
      status: columns.status,
      outcomes: 1,
      final: columns.final,
      prompt_tokens: columns.promptTokens,
      completion_tokens: columns.completionTokens,
      model_calls: columns.modelCalls,
      cost_usd: columns.costUsd ?? 0,
      priced: columns.costUsd === null ? 0 : 1,
    });
    this.#leases.release(rolloutId);
  }

  #write(columns: OutcomeColumns, insertParts: () => void): void {
    finite(columns.reward, 'reward');
    finite(columns.costUsd, 'costUsd');
    this.#insert.run(columns);
    insertParts();
    if (columns.final === 1) {
      const { taskId } = splitRolloutId(columns.rolloutId);
      const { samples } = this.#plan;
      this.#closeTask.run(taskId, rolloutIdOf(taskId, 0), rolloutIdOf(taskId, samples), samples);
    }
  }

  #remove(rolloutId: number): void {
    for (const removal of this.#removals) {
      removal.run(rolloutId);
    }
  }
}

/** Whether no later start tries the rollout again. */
function isFinal(status: RolloutStatus, retryable: boolean): boolean {
  return status !== 'cancelled' && !(status === 'failed' && retryable);
}

/** SQLite would store NaN as NULL, which means "not scored". */
function finite(value: number | null, name: string): number | null {
  if (value !== null && !Number.isFinite(value)) {
    throw new TalariaError({
      code: 'internal',
      message: `Expected ${name} to be a finite number or null, got ${value}.`,
    });
  }
  return value;
}

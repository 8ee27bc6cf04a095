import type { Database, Statement } from 'better-sqlite3';
import type { Leases } from './leases.js';
import type { Spent } from './run-store.js';
import type { Tally } from './tally.js';

/** SQL for the tokens of replies, over rows of `journal`. */
const tokenSums = ['prompt_tokens', 'cached_tokens', 'completion_tokens']
  .map((name) => `CAST(total(json_extract(reply, '$.usage.${name}')) AS INTEGER) AS ${name}`)
  .join(', ');

/** Paid model calls that no outcome tells of: those of rollouts under way, and those that were given up. */
export class PaidCalls {
  readonly #leases: Leases;
  readonly #tally: Tally;
  readonly #giveUp: Statement<[number]>;
  readonly #wasted: Statement<[number], number>;
  readonly #journaledUsd: Statement<[], number>;
  readonly #tokens: Statement<[], Spent['usage']>;

  constructor(database: Database, leases: Leases, tally: Tally) {
    this.#leases = leases;
    this.#tally = tally;
    this.#giveUp = database.prepare(
      `INSERT INTO waste SELECT rollout_id, count(*), ${tokenSums} FROM journal WHERE rollout_id = ? GROUP BY rollout_id
       ON CONFLICT (rollout_id) DO UPDATE SET calls = calls + excluded.calls,
         prompt_tokens = prompt_tokens + excluded.prompt_tokens,
         cached_tokens = cached_tokens + excluded.cached_tokens,
         completion_tokens = completion_tokens + excluded.completion_tokens`,
    );
    this.#wasted = database
      .prepare<[number], number>('SELECT calls FROM waste WHERE rollout_id = ?')
      .pluck();
    this.#journaledUsd = database
      .prepare<[], number>(
        `SELECT total(cost_usd) FROM (SELECT DISTINCT rollout_id FROM journal) CROSS JOIN outcome ON id = rollout_id`,
      )
      .pluck();
    this.#tokens = database.prepare(
      `SELECT sum(prompt_tokens) AS prompt_tokens, sum(cached_tokens) AS cached_tokens,
         sum(completion_tokens) AS completion_tokens
       FROM (SELECT ${tokenSums} FROM journal
             UNION ALL SELECT prompt_tokens, cached_tokens, completion_tokens FROM waste)`,
    );
  }

  /** Notes the replies of the journal as paid in vain, before they are forgotten. */
  giveUp(rolloutId: number, lease: number): void {
    if (this.#leases.isCurrent(rolloutId, lease)) {
      this.#giveUp.run(rolloutId);
    }
  }

  /** Calls of this rollout that were paid in vain so far, in all starts. */
  wasted(rolloutId: number): number {
    return this.#wasted.get(rolloutId) ?? 0;
  }

  /** A journal holds what an outcome that may be tried again told, and more: there the journal counts. */
  spent(): Spent {
    const usage = this.#tokens.get();
    return {
      outcomesUsd: (this.#tally.counts(0, 0).costUsd ?? 0) - (this.#journaledUsd.get() ?? 0),
      usage: {
        prompt_tokens: usage?.prompt_tokens ?? 0,
        cached_tokens: usage?.cached_tokens ?? 0,
        completion_tokens: usage?.completion_tokens ?? 0,
      },
    };
  }
}

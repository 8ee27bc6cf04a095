import type { Database, Statement } from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';
import type { Leases } from './leases.js';
import type { PaidCalls } from './paid-calls.js';
import type { PlanTable } from './plan-table.js';
import { rolloutIdOf, splitRolloutId } from './rollout-id.js';
import type { PendingRollout } from './run-store.js';

interface TaskRow {
  readonly id: number;
  readonly key: string;
  readonly ordinal: number;
  readonly body: string;
}

interface OutcomeRow {
  readonly id: number;
  readonly final: number;
  readonly attempt: number;
}

/**
 * Hands out what is left to do, in plan order. One cursor goes through the plan once per start, so nothing is handed
 * out twice and nothing has to be remembered; no write is needed, since an outcome-less rollout is pending by itself.
 */
export class Schedule {
  readonly #plan: PlanTable;
  readonly #leases: Leases;
  readonly #paid: PaidCalls;
  readonly #openTasks: Statement<[number, number, number], TaskRow>;
  readonly #task: Statement<[number], TaskRow>;
  readonly #outcomes: Statement<[number, number], OutcomeRow>;
  readonly #journaled: Statement<[number], number>;
  /** The next place to look at. */
  #ordinal = 0;
  #sample = 0;
  #handedOut = false;

  constructor(database: Database, plan: PlanTable, leases: Leases, paid: PaidCalls) {
    this.#plan = plan;
    this.#leases = leases;
    this.#paid = paid;
    this.#openTasks = database.prepare(
      `SELECT t.id, t.key, t.ordinal, b.body FROM task t INDEXED BY task_open JOIN task_body b ON b.task_id = t.id
       WHERE t.open = 1 AND t.pass = ? AND t.ordinal >= ? ORDER BY t.ordinal LIMIT ?`,
    );
    this.#task = database.prepare(
      `SELECT t.id, t.key, t.ordinal, b.body FROM task t JOIN task_body b ON b.task_id = t.id WHERE t.id = ?`,
    );
    this.#outcomes = database.prepare(
      'SELECT id, final, attempt FROM outcome WHERE id >= ? AND id < ?',
    );
    this.#journaled = database
      .prepare<[number], number>('SELECT EXISTS (SELECT 1 FROM journal WHERE rollout_id = ?)')
      .pluck();
  }

  /** Goes back to the start of the plan, for a new pass. */
  restart(): void {
    if (this.#handedOut) {
      throw internal('beginPlan() was called after next() had handed out rollouts.');
    }
    this.#ordinal = 0;
    this.#sample = 0;
  }

  next(count: number): PendingRollout[] {
    const found: PendingRollout[] = [];
    while (found.length < count) {
      const wanted = count - found.length;
      const tasks = this.#openTasks.all(this.#plan.pass, this.#ordinal, wanted);
      for (const task of tasks) {
        this.#nextOf(task, count, found);
        if (found.length === count) {
          break;
        }
      }
      if (tasks.length === 0) {
        break;
      }
    }
    this.#handedOut ||= found.length > 0;
    return found;
  }

  /** Null when nobody holds it: its outcome had been stored. */
  reclaim(rolloutId: number): PendingRollout | null {
    const attempt = this.#leases.attempt(rolloutId);
    return attempt === null ? null : this.#handOut(this.#taskOf(rolloutId), rolloutId, attempt);
  }

  retry(rolloutId: number): PendingRollout {
    const outcome = this.#outcomes.get(rolloutId, rolloutId + 1);
    if (outcome?.final === 1) {
      throw internal(`Rollout ${rolloutId} has a final outcome and cannot be tried again.`);
    }
    const attempt = this.#leases.attempt(rolloutId) ?? outcome?.attempt ?? 0;
    return this.#handOut(this.#taskOf(rolloutId), rolloutId, attempt + 1);
  }

  /** Appends what the task has to do from the cursor on, and moves the cursor. */
  #nextOf(task: TaskRow, count: number, found: PendingRollout[]): void {
    const first = task.ordinal === this.#ordinal ? this.#sample : 0;
    const { samples } = this.#plan;
    const ended = new Map(
      this.#outcomes
        .all(rolloutIdOf(task.id, first), rolloutIdOf(task.id, samples))
        .map((outcome) => [outcome.id, outcome]),
    );
    for (let sample = first; sample < samples; sample += 1) {
      const id = rolloutIdOf(task.id, sample);
      const outcome = ended.get(id);
      if (outcome?.final === 1) {
        continue;
      }
      found.push(this.#handOut(task, id, (outcome?.attempt ?? 0) + 1));
      if (found.length === count && sample + 1 < samples) {
        this.#ordinal = task.ordinal;
        this.#sample = sample + 1;
        return;
      }
    }
    this.#ordinal = task.ordinal + 1;
    this.#sample = 0;
  }

  #handOut(task: TaskRow, rolloutId: number, attempt: number): PendingRollout {
    return {
      rolloutId,
      taskKey: task.key,
      sample: splitRolloutId(rolloutId).sample,
      attempt,
      lease: this.#leases.grant(rolloutId, attempt),
      task: task.body,
      journaled: this.#journaled.get(rolloutId) === 1,
      wastedCalls: this.#paid.wasted(rolloutId),
    };
  }

  #taskOf(rolloutId: number): TaskRow {
    const task = this.#task.get(splitRolloutId(rolloutId).taskId);
    if (task === undefined) {
      throw internal(`There is no rollout ${rolloutId}.`);
    }
    return task;
  }
}

function internal(message: string): TalariaError {
  return new TalariaError({ code: 'internal', message });
}

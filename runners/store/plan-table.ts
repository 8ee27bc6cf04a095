import type { Database, Statement } from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';
import type { EncodedTask } from './protocol.js';
import { maxSamples, rolloutIdOf } from './rollout-id.js';
import type { PlanStep } from './run-store.js';
import { type Tally, type TallyEntry, tallyColumns } from './tally.js';

interface PlanRow {
  readonly pass: number;
  readonly completed_pass: number;
  readonly samples: number;
  readonly tasks: number;
  readonly fingerprint: string | null;
}

/** The plan: which tasks there are, in which order, how many samples of each, and which still have something to do. */
export class PlanTable {
  readonly #tally: Tally;
  readonly #find: Statement<[string], { readonly id: number; readonly pass: number }>;
  readonly #insert: Statement<[string, string | null, number, number]>;
  readonly #insertBody: Statement<[number, string]>;
  readonly #confirm: Statement<[string | null, number, number, number, number]>;
  readonly #updateBody: Statement<[string, number, string]>;
  readonly #sums: Statement<[number, number], TallyEntry>;
  readonly #write: Statement<[PlanRow]>;
  #plan: PlanRow;
  #changed = false;

  constructor(database: Database, tally: Tally) {
    this.#tally = tally;
    this.#find = database.prepare('SELECT id, pass FROM task WHERE key = ?');
    this.#insert = database.prepare(
      'INSERT INTO task (key, name, pass, ordinal, open) VALUES (?, ?, ?, ?, 1)',
    );
    this.#insertBody = database.prepare('INSERT INTO task_body (task_id, body) VALUES (?, ?)');
    this.#confirm = database.prepare(
      'UPDATE task SET name = ?, pass = ?, ordinal = ?, open = ? WHERE id = ?',
    );
    // Answers and metadata are no part of the key: rollouts to come get what the data set says now.
    this.#updateBody = database.prepare(
      'UPDATE task_body SET body = ? WHERE task_id = ? AND body <> ?',
    );
    this.#sums = database.prepare(
      `SELECT ${tallyColumns} FROM outcome WHERE id >= ? AND id < ? GROUP BY status`,
    );
    this.#write = database.prepare(
      `UPDATE plan SET pass = @pass, completed_pass = @completed_pass, samples = @samples, tasks = @tasks,
       fingerprint = @fingerprint`,
    );
    const plan = database
      .prepare<[], PlanRow>('SELECT pass, completed_pass, samples, tasks, fingerprint FROM plan')
      .get();
    if (plan === undefined) {
      throw new TalariaError({ code: 'run_damaged', message: 'run.db has no plan row.' });
    }
    this.#plan = plan;
  }

  get pass(): number {
    return this.#plan.pass;
  }

  get samples(): number {
    return this.#plan.samples;
  }

  get tasks(): number {
    return this.#plan.tasks;
  }

  /** What the last complete pass was made from; null when there is none or its data set has no fingerprint. */
  planned(): { readonly fingerprint: string; readonly samples: number } | null {
    const { fingerprint, samples } = this.#plan;
    return fingerprint === null ? null : { fingerprint, samples };
  }

  begin(): void {
    this.#tally.clear();
    this.#set({ ...this.#plan, pass: this.#plan.pass + 1, tasks: 0, fingerprint: null });
  }

  add(tasks: readonly EncodedTask[], samples: number): PlanStep {
    const { pass } = this.#plan;
    if (pass === this.#plan.completed_pass) {
      throw internal('plan() was called before beginPlan().');
    }
    this.#checkSamples(samples);
    let ordinal = this.#plan.tasks;
    let added = 0;
    let merged = 0;
    const sums: TallyEntry[] = [];
    for (const { key, name, body } of tasks) {
      const known = this.#find.get(key);
      if (known === undefined) {
        const id = Number(this.#insert.run(key, name, pass, ordinal).lastInsertRowid);
        this.#insertBody.run(id, body);
        added += 1;
        ordinal += 1;
      } else if (known.pass === pass) {
        merged += 1;
      } else {
        const old = this.#sums.all(rolloutIdOf(known.id, 0), rolloutIdOf(known.id, samples));
        const final = old.reduce((sum, entry) => sum + entry.final, 0);
        this.#confirm.run(name, pass, ordinal, final < samples ? 1 : 0, known.id);
        this.#updateBody.run(body, known.id, body);
        sums.push(...old);
        ordinal += 1;
      }
    }
    // Memory follows only now, when no statement can fail any more.
    for (const entry of sums) {
      this.#tally.add(entry);
    }
    this.#set({ ...this.#plan, tasks: ordinal, samples });
    return { added, merged };
  }

  end(fingerprint: string | null, samples: number): void {
    this.#checkSamples(samples);
    this.#set({ ...this.#plan, completed_pass: this.#plan.pass, fingerprint, samples });
  }

  /** Writes what changed, within the transaction that changed it. */
  save(): void {
    if (this.#changed) {
      this.#write.run(this.#plan);
      this.#changed = false;
    }
  }

  #set(plan: PlanRow): void {
    this.#plan = plan;
    this.#changed = true;
  }

  #checkSamples(samples: number): void {
    if (!Number.isInteger(samples) || samples < 1 || samples > maxSamples) {
      throw internal(
        `Expected samples to be a whole number from 1 to ${maxSamples}, got ${samples}.`,
      );
    }
    if (this.#plan.tasks > 0 && samples !== this.#plan.samples) {
      throw internal('The number of samples changed within one pass over the data set.');
    }
  }
}

function internal(message: string): TalariaError {
  return new TalariaError({ code: 'internal', message });
}

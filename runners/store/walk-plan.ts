import type { Database } from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';
import { type PlanView, readPlan } from './read-plan.js';

/** A task of the plan. */
export interface PlannedRow {
  readonly id: number;
  readonly key: string;
  readonly name: string | null;
  readonly ordinal: number;
}

const pageSize = 200;

/**
 * The tasks of the plan in its order, read in pages: nothing is held between two pages but the place. With a
 * write-ahead log everything comes from one snapshot. With a rollback journal a snapshot would stop the writer, so
 * there is none, and a plan that changes under the walk is an error.
 */
export function* walkPlan(database: Database, path: string): Generator<[PlannedRow, PlanView]> {
  const snapshot = database.pragma('journal_mode', { simple: true }) === 'wal';
  if (snapshot) {
    database.exec('BEGIN');
  }
  const page = database.prepare<[number, number, number], PlannedRow>(
    'SELECT id, key, name, ordinal FROM task WHERE pass = ? AND ordinal > ? ORDER BY ordinal LIMIT ?',
  );
  const plan = readPlan(database);
  // What a pass under way has named comes first, then what it has not come to yet.
  for (let pass = plan.pass; pass >= plan.completedPass; pass -= 1) {
    let last = -1;
    for (let rows = page.all(pass, last, pageSize); rows.length > 0; ) {
      for (const row of rows) {
        last = row.ordinal;
        yield [row, plan];
      }
      if (!snapshot && readPlan(database).pass !== plan.pass) {
        throw new TalariaError({
          code: 'store_failed',
          message: `The run at ${path} was planned anew while it was being read. Read it again.`,
        });
      }
      rows = page.all(pass, last, pageSize);
    }
  }
}

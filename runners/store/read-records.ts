import type { Database } from 'better-sqlite3';
import { decodeRecord } from '../../src/rollout/encode-record.js';
import type { RolloutRecord } from '../../src/rollout/record.js';
import { type PlanView, readPlan } from './read-plan.js';
import { rolloutIdOf, splitRolloutId } from './rollout-id.js';
import type { RecordFilter } from './run-reader.js';
import { damagedRun } from './store-error.js';
import { type PlannedRow, walkPlan } from './walk-plan.js';

/** Records in plan order; one of them is in memory at a time. */
export function* readRecords(
  database: Database,
  path: string,
  filter: RecordFilter,
): Generator<RolloutRecord> {
  const { where, values } = conditions(filter);
  const ids = database
    .prepare<(string | number)[], number>(
      `SELECT id FROM outcome WHERE id >= ? AND id < ?${where} ORDER BY id`,
    )
    .pluck();
  const body = database
    .prepare<[number], Uint8Array>('SELECT body FROM record WHERE rollout_id = ?')
    .pluck();
  const tasks =
    filter.taskKeys === undefined
      ? walkPlan(database, path)
      : namedTasks(database, filter.taskKeys);
  for (const [task, plan] of tasks) {
    for (const id of ids.all(
      rolloutIdOf(task.id, 0),
      rolloutIdOf(task.id, plan.samples),
      ...values,
    )) {
      const bytes = body.get(id);
      // A rollout that killed its worker has an outcome and no record.
      if (bytes !== undefined) {
        yield storedRecord(bytes, `${task.key}#${splitRolloutId(id).sample}`, path);
      }
    }
  }
}

/** A stored record. Throws `run_damaged` naming the rollout. */
export function storedRecord(bytes: Uint8Array, rollout: string, path: string): RolloutRecord {
  try {
    return decodeRecord(bytes);
  } catch (thrown) {
    throw damagedRun(path, `the record of ${rollout} cannot be decoded`, thrown);
  }
}

/** The tasks of a list that belong to the plan, in its order. */
function* namedTasks(
  database: Database,
  keys: readonly string[],
): Generator<[PlannedRow, PlanView]> {
  const plan = readPlan(database);
  const rows = database
    .prepare<[string, number], PlannedRow>(
      `SELECT id, key, name, ordinal FROM task WHERE key IN (SELECT value FROM json_each(?)) AND pass >= ?
       ORDER BY pass DESC, ordinal`,
    )
    .all(JSON.stringify(keys), plan.completedPass);
  for (const row of rows) {
    yield [row, plan];
  }
}

function conditions(filter: RecordFilter): { where: string; values: (string | number)[] } {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  if (filter.statuses !== undefined) {
    parts.push('status IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(filter.statuses));
  }
  if (filter.exitReasons !== undefined) {
    parts.push('exit_reason IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(filter.exitReasons));
  }
  if (filter.minReward !== undefined) {
    parts.push('reward >= ?');
    values.push(filter.minReward);
  }
  return { where: parts.map((part) => ` AND ${part}`).join(''), values };
}

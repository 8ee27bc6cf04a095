import type { Database } from 'better-sqlite3';
import { usageError } from '../../src/errors.js';
import type { Task } from '../../src/rollout/task.js';
import { decodeTask } from '../../src/rollout/task-text.js';
import { readPlan } from './read-plan.js';
import { storedRecord } from './read-records.js';
import { rolloutIdOf } from './rollout-id.js';
import type { FoundRollout } from './run-reader.js';
import type { JournalEntry } from './run-store.js';
import { damagedRun } from './store-error.js';

interface TaskRow {
  readonly id: number;
  readonly key: string;
  readonly name: string | null;
  readonly pass: number;
}

const shortestPrefix = 4;
const shown = 5;

/** Finds a rollout, of the plan or not, by the user's id, the key, or a unique beginning of either. */
export function findRollout(
  database: Database,
  path: string,
  task: string,
  sample: number,
): FoundRollout {
  const { id, key, pass } = findTask(database, task);
  const plan = readPlan(database);
  const rolloutId = rolloutIdOf(id, sample);
  const row = database
    .prepare<[number], { readonly body: string }>('SELECT body FROM task_body WHERE task_id = ?')
    .get(id);
  const outcome = database
    .prepare<[number], number>('SELECT count(*) FROM outcome WHERE id = ?')
    .pluck()
    .get(rolloutId);
  const planned = pass >= plan.completedPass && sample >= 0 && sample < plan.samples;
  if (!Number.isInteger(sample) || row === undefined || (outcome === 0 && !planned)) {
    throw usageError(
      `Task ${key} has no sample ${sample}. ${plan.samples === 1 ? 'The run has one of each task, number 0.' : `The run has ${plan.samples} of each task: 0 to ${plan.samples - 1}.`}`,
    );
  }
  const record = database
    .prepare<[number], Uint8Array>('SELECT body FROM record WHERE rollout_id = ?')
    .pluck()
    .get(rolloutId);
  const journal = database.prepare<[number], JournalEntry>(
    'SELECT sequence, request_hash AS requestHash, reply FROM journal WHERE rollout_id = ? ORDER BY sequence',
  );
  return {
    taskKey: key,
    sample,
    task: taskOf(row.body, key, path),
    record: record === undefined ? null : storedRecord(record, `${key}#${sample}`, path),
    journal: record === undefined ? journal.all(rolloutId) : [],
  };
}

function taskOf(body: string, key: string, path: string): Task {
  const decoded = decodeTask(body);
  if (!decoded.ok) {
    throw damagedRun(path, `the task ${key} cannot be read: ${decoded.error}`);
  }
  return decoded.task;
}

function findTask(database: Database, wanted: string): TaskRow {
  const columns = 'SELECT id, key, name, pass FROM task WHERE';
  const byKey = database.prepare<[string], TaskRow>(`${columns} key = ?`).get(wanted);
  if (byKey !== undefined) {
    return byKey;
  }
  const named = database
    .prepare<[string], TaskRow>(
      `${columns} name = ? ORDER BY pass DESC, ordinal LIMIT ${shown + 1}`,
    )
    .all(wanted);
  // A row that was edited is another task with the same id: the one that the newest pass names is meant.
  const newest = named.filter((row) => row.pass === named[0]?.pass);
  if (newest.length > 0) {
    return only(newest, wanted);
  }
  if (wanted.length < shortestPrefix) {
    throw usageError(
      `There is no task "${wanted}". Give its id, its key, or at least ${shortestPrefix} characters of either.`,
    );
  }
  const begins = database
    .prepare<[string, string, string, string], TaskRow>(
      `${columns} substr(key, 1, length(?)) = ? OR substr(name, 1, length(?)) = ?
       ORDER BY pass DESC, ordinal LIMIT ${shown + 1}`,
    )
    .all(wanted, wanted, wanted, wanted);
  if (begins.length === 0) {
    throw usageError(`There is no task whose id or key is or begins with "${wanted}".`);
  }
  return only(begins, wanted);
}

function only(rows: readonly TaskRow[], wanted: string): TaskRow {
  const [first, ...others] = rows;
  if (first === undefined || others.length > 0) {
    const list = rows
      .slice(0, shown)
      .map((row) => (row.name === null ? row.key : `${row.key} (${row.name})`));
    const more = rows.length > shown ? ', and more' : '';
    throw usageError(`"${wanted}" fits more than one task: ${list.join(', ')}${more}.`);
  }
  return first;
}

import { join, resolve } from 'node:path';
import type { Database } from 'better-sqlite3';
import { usageError } from '../../src/errors.js';
import { findRollout } from './find-rollout.js';
import { openForReading, reading } from './open-for-reading.js';
import { readRecords } from './read-records.js';
import { readStats } from './read-stats.js';
import { readTaskStats } from './read-task-stats.js';
import type { RunReader } from './run-reader.js';

/** Opens a run for reading, whether or not another process writes it. Throws a TalariaError. */
export function openRunReader(directory: string): RunReader {
  const path = join(resolve(directory), 'run.db');
  const database = openForReading(path);
  const { runId, name } = identify(database, path);
  return {
    runId,
    name,
    async *records(filter = {}) {
      yield* withConnection(path, (own) => readRecords(own, path, filter));
    },
    find: (task, sample) => reading(path, () => findRollout(database, path, task, sample)),
    stats: () => ({
      ...reading(path, () => readStats(database)),
      tasks: () => withConnection(path, (own) => readTaskStats(own, path)),
    }),
    close: () => database.close(),
  };
}

/** Each iteration has a connection and so a snapshot of its own, which ends with it. */
function* withConnection<Row>(
  path: string,
  read: (database: Database) => Iterator<Row, void>,
): Generator<Row, void> {
  const database = openForReading(path);
  try {
    const rows = read(database);
    for (;;) {
      const next = reading(path, () => rows.next());
      if (next.done === true) {
        return;
      }
      yield next.value;
    }
  } finally {
    database.close();
  }
}

function identify(
  database: Database,
  path: string,
): { readonly runId: string; readonly name: string } {
  try {
    const run = reading(path, () =>
      database
        .prepare<[], { readonly runId: string; readonly name: string }>(
          'SELECT run_id AS runId, name FROM run',
        )
        .get(),
    );
    if (run === undefined) {
      throw usageError(`The run at ${path} has not begun yet.`);
    }
    return run;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

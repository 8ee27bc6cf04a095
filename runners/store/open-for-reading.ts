import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { TalariaError, usageError } from '../../src/errors.js';
import { migrations } from './migrations.js';
import { schemaVersion } from './open-database.js';
import { storeError } from './store-error.js';

/** A read-only connection to the run.db of a run of this version. Throws a TalariaError. */
export function openForReading(path: string): Database.Database {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    throw usageError(`There is no run at ${path}. Give the directory of a run.`);
  }
  const database = reading(path, () => new Database(path, { readonly: true, timeout: 10_000 }));
  try {
    const version = reading(path, () => schemaVersion(database, path));
    if (version === 0) {
      throw usageError(`The run at ${path} has not begun yet.`);
    }
    if (version < migrations.length) {
      throw usageError(
        `${path} was written by an older version of Talaria (schema ${version}; this one reads ${migrations.length}). ` +
          'Start the run once with --resume to bring it up to date.',
      );
    }
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Runs a query and says what is wrong in the words of a reader. */
export function reading<Value>(path: string, query: () => Value): Value {
  try {
    return query();
  } catch (thrown) {
    if (
      thrown instanceof Database.SqliteError &&
      /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(thrown.code)
    ) {
      throw new TalariaError({
        code: 'store_failed',
        message:
          `${path} cannot be read (${thrown.message}). A run that is being written, or was killed, can be read only ` +
          'where its directory is writable: copy the directory, with run.db-wal, and read the copy.',
        cause: thrown,
      });
    }
    throw storeError(thrown, path);
  }
}

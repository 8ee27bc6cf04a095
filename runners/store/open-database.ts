import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';
import { applicationId, migrations } from './migrations.js';
import { damagedRun } from './store-error.js';

export interface DatabaseOptions {
  readonly path: string;
  /** Shared memory does not work between hosts: a rollback journal instead of a write-ahead log. */
  readonly network: boolean;
  /** `always` reads every page before anything is written; `unclean` does so after a crash, if the file is small. */
  readonly check: 'always' | 'unclean' | 'never';
  /** Tests only: as if the disk were full at so many pages. */
  readonly maxPages?: number;
}

/** Files up to here are checked after a crash: that takes about a tenth of a second. */
const cheapCheckBytes = 64 * 1024 * 1024;
const busyTimeoutMs = 10_000;

/**
 * Opens run.db for writing, brings its schema up to date and makes every commit durable. Touches nothing in a file
 * that is not a run or was written by a newer version.
 */
export function openDatabase(options: DatabaseOptions): Database.Database {
  const { path } = options;
  // A reader on a network file system blocks the writer while it reads a page of records; it never does so for long.
  const database = new Database(path, { timeout: options.network ? 60_000 : busyTimeoutMs });
  try {
    const version = schemaVersion(database, path);
    checkPages(database, options);
    // Counts for a new file only. Replies and records are kilobytes: a quarter more commits than with 4,096.
    database.pragma('page_size = 16384');
    setJournalMode(database, path, options.network ? 'delete' : 'wal');
    database.pragma('synchronous = FULL');
    database.pragma('cell_size_check = ON');
    database.pragma('foreign_keys = OFF');
    database.pragma('cache_size = -32000');
    database.pragma('wal_autocheckpoint = 2000');
    database.pragma('journal_size_limit = 67108864');
    if (options.maxPages !== undefined) {
      database.pragma(`max_page_count = ${options.maxPages}`);
    }
    migrate(database, version);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** The schema version of a run, 0 for an empty file. Throws for a file that is not a run or is newer than this build. */
export function schemaVersion(database: Database.Database, path: string): number {
  const id = database.pragma('application_id', { simple: true });
  const version = Number(database.pragma('user_version', { simple: true }));
  if (id !== applicationId) {
    const objects = database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck();
    if (id === 0 && version === 0 && objects.get() === 0) {
      return 0;
    }
    throw new TalariaError({
      code: 'run_mismatch',
      message: `${path} is a SQLite database of another program. Choose another directory with --out.`,
    });
  }
  if (version > migrations.length) {
    throw new TalariaError({
      code: 'run_mismatch',
      message:
        `${path} was written by a newer version of Talaria (schema ${version}; this one knows ${migrations.length}). ` +
        'Update Talaria, or choose another directory with --out.',
    });
  }
  return version;
}

function checkPages(database: Database.Database, options: DatabaseOptions): void {
  const small = options.check === 'unclean' && statSync(options.path).size <= cheapCheckBytes;
  if (options.check === 'always' || small) {
    const found = database.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') {
      throw damagedRun(options.path, String(found));
    }
  }
}

/** Sets the mode and reads it back: SQLite keeps the old one silently when it cannot change it. */
function setJournalMode(database: Database.Database, path: string, wanted: 'wal' | 'delete'): void {
  const waitUntil = performance.now() + busyTimeoutMs;
  for (;;) {
    let got: unknown = 'locked';
    try {
      got = database.pragma(`journal_mode = ${wanted}`, { simple: true });
    } catch (thrown) {
      if (!(thrown instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(thrown.code))) {
        throw thrown;
      }
    }
    if (got === wanted) {
      return;
    }
    if (performance.now() > waitUntil) {
      throw new TalariaError({
        code: 'store_failed',
        message:
          `The journal mode of ${path} is "${String(got)}" and cannot be set to "${wanted}": another program is ` +
          'reading it, or the file system does not allow it. Wait for the other program, or choose another directory.',
      });
    }
    // Only at the start, in the store's own thread, while a reader finishes.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

function migrate(database: Database.Database, from: number): void {
  for (const [step, sql] of migrations.entries()) {
    if (step >= from) {
      database
        .transaction(() => {
          database.exec(sql);
          database.pragma(`application_id = ${applicationId}`);
          database.pragma(`user_version = ${step + 1}`);
        })
        .immediate();
    }
  }
}

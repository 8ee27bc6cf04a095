import { rmSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';

const everyMs = 1_000;

/**
 * Notices that somebody deleted, replaced or truncated run.db while it is being written: SQLite goes on with the file that
 * it has open, and everything that is paid from then on would vanish with the process. A look a second.
 */
export class FileGuard {
  readonly #path: string;
  readonly #database: Database;
  readonly #now: () => number;
  /** The files as they were first seen; the log appears with the first write. */
  readonly #seen = new Map<string, Stats>();
  #nextAt: number;

  constructor(path: string, database: Database, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#database = database;
    this.#now = now;
    this.#nextAt = now();
    this.check();
  }

  /** Throws `store_failed` when a file is no longer the one that was opened. Not to be called in a transaction. */
  check(): void {
    if (this.#now() < this.#nextAt) {
      return;
    }
    this.#nextAt = this.#now() + everyMs;
    for (const path of [this.#path, `${this.#path}-wal`]) {
      this.#checkFile(path);
    }
  }

  #checkFile(path: string): void {
    const seen = this.#seen.get(path);
    const found = statSync(path, { throwIfNoEntry: false });
    if (seen !== undefined && found === undefined) {
      throw this.#lost(path, 'deleted');
    }
    if (seen !== undefined && (found?.ino !== seen.ino || found.dev !== seen.dev)) {
      throw this.#lost(path, 'replaced by another file');
    }
    // The database only ever grows; its log is cut now and then.
    if (
      path === this.#path &&
      seen !== undefined &&
      found !== undefined &&
      found.size < seen.size
    ) {
      throw new TalariaError({
        code: 'store_failed',
        message: `${path} was cut from ${seen.size} to ${found.size} bytes while the run was writing it. The run stops. Start again with --resume; if the file is damaged, restore a copy of it first.`,
      });
    }
    if (found !== undefined) {
      this.#seen.set(path, found);
    }
  }

  #lost(path: string, how: string): TalariaError {
    const saved = this.#rescue();
    return new TalariaError({
      code: 'store_failed',
      message:
        `${path} was ${how} while the run was writing it. The run stops. ` +
        (saved === null
          ? 'What was stored in it since the last copy is lost.'
          : `What the run holds is saved in ${saved}: put that in the place of run.db (without any run.db-wal and run.db-shm), and start again with --resume.`),
    });
  }

  /** The file is gone from its folder, but this process still has it open. */
  #rescue(): string | null {
    const path = join(dirname(this.#path), 'run.db.rescued');
    try {
      rmSync(path, { force: true });
      this.#database.prepare('VACUUM INTO ?').run(path);
      return path;
    } catch {
      return null;
    }
  }
}

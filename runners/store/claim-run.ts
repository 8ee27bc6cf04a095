import type { Database } from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';
import { compareIdentity, type RunIdentity } from './compare-identity.js';

export interface ClaimOptions {
  readonly directory: string;
  readonly name: string;
  readonly identity: RunIdentity;
  readonly resume: boolean;
  /** Of a run that is created now. */
  readonly newRunId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly host: string;
  readonly pid: number;
}

export interface ClaimedRun {
  readonly runId: string;
  readonly name: string;
  readonly resumed: boolean;
  /** Number of this start: the last one is the writer. */
  readonly start: number;
}

interface RunRow {
  readonly run_id: string;
  readonly name: string;
  readonly identity: string;
}

/**
 * Creates the run or joins the one that is there, and makes this process its writer. One that never got as far as a task,
 * since its data set could not be read, begins anew: there is nothing to protect. Throws `run_mismatch`.
 */
export function claimRun(database: Database, options: ClaimOptions): ClaimedRun {
  return database
    .transaction((): ClaimedRun => {
      let joined: RunRow | null = null;
      const found = database.prepare<[], RunRow>('SELECT run_id, name, identity FROM run').get();
      if (found === undefined) {
        database
          .prepare(
            'INSERT INTO run (only, run_id, name, identity, created_at) VALUES (1, ?, ?, ?, ?)',
          )
          .run(options.newRunId, options.name, JSON.stringify(options.identity), options.now);
      } else if (isEmpty(database)) {
        database
          .prepare('UPDATE run SET name = ?, identity = ?')
          .run(options.name, JSON.stringify(options.identity));
      } else {
        refuseOther(found, options);
        joined = found;
      }
      const start = database
        .prepare('INSERT INTO start (started_at, host, pid) VALUES (?, ?, ?)')
        .run(options.now, options.host, options.pid).lastInsertRowid;
      return {
        runId: found?.run_id ?? options.newRunId,
        name: joined?.name ?? options.name,
        resumed: joined !== null,
        start: Number(start),
      };
    })
    .immediate();
}

function isEmpty(database: Database): boolean {
  return database.prepare<[], number>('SELECT EXISTS (SELECT 1 FROM task)').pluck().get() === 0;
}

function refuseOther(found: RunRow, options: ClaimOptions): void {
  const changes = compareIdentity(JSON.parse(found.identity) as RunIdentity, options.identity);
  const { directory } = options;
  if (changes.length > 0) {
    const list = changes.map((change) => `\n  ${change}`).join('');
    throw mismatch(
      options.resume
        ? `${directory} cannot be resumed: what makes the run "${found.name}" what it is has changed:${list}\n` +
            'Undo the change, or start a new run with another --out.'
        : `${directory} holds another run, "${found.name}". It differs in:${list}\n` +
            'Choose another --out for this one.',
    );
  }
  if (!options.resume) {
    throw mismatch(
      found.name === options.name
        ? `${directory} holds this run already. Add --resume to go on with it, or choose another --out.`
        : `${directory} holds another run, "${found.name}", of the same kind. Add --resume to go on with it, or ` +
            'choose another --out.',
    );
  }
}

function mismatch(message: string): TalariaError {
  return new TalariaError({ code: 'run_mismatch', message });
}

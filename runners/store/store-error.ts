import { TalariaError, usageError } from '../../src/errors.js';

/** How to get a damaged run back. */
export function damagedRun(path: string, what: string, cause?: unknown, more = ''): TalariaError {
  return new TalariaError({
    code: 'run_damaged',
    message:
      `${path} is damaged: ${what}. Restore a copy of it, or save what is readable with ` +
      `\`sqlite3 run.db ".recover" | sqlite3 mended.db\`, put mended.db in its place (without any run.db-wal and ` +
      `run.db-shm), and start again with --resume.${more}`,
    cause,
  });
}

/** What happened to the database, as an error for the user. Anything that is no database error becomes `internal`. */
export function storeError(thrown: unknown, path: string): TalariaError {
  if (TalariaError.isInstance(thrown)) {
    return thrown;
  }
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  const code = codeOf(thrown);
  const family = code.split('_').slice(0, 2).join('_');
  const failed = (sentence: string) =>
    new TalariaError({ code: 'store_failed', message: sentence, cause: thrown });
  const resume = 'What was acknowledged is stored: start again with --resume.';
  switch (family) {
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return damagedRun(path, detail, thrown);
    case 'SQLITE_FULL':
    case 'ENOSPC':
    case 'EDQUOT':
      return failed(`The disk that holds ${path} is full. Free some space. ${resume}`);
    case 'SQLITE_READONLY':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_PERM':
    case 'SQLITE_AUTH':
      return failed(
        `${path} cannot be opened for writing (${detail}). Make the directory writable, or choose another with --out.`,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return usageError(
        `${path} cannot be written (${detail}). Make it writable, or choose another directory with --out.`,
        thrown,
      );
    case 'EEXIST':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ENOENT':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return usageError(
        `${path} cannot be a run directory (${detail}). Choose another with --out.`,
        thrown,
      );
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return failed(
        `Another program keeps ${path} locked (${detail}): an export on a network file system, a backup, or an open ` +
          `sqlite3 shell. Wait for it or close it. ${resume}`,
      );
    case 'SQLITE_IOERR':
    case 'SQLITE_PROTOCOL':
    case 'SQLITE_NOLFS':
      return failed(
        `Reading or writing ${path} failed (${code}: ${detail}). Look at the disk, its quota and its mount. ${resume}`,
      );
    default:
      return new TalariaError({
        // What concerns one request must not end a run, and `store_failed` does.
        code: isFatal(thrown) ? 'store_failed' : 'internal',
        message: `The run store at ${path} failed: ${code === '' ? '' : `${code}: `}${detail}`,
        cause: thrown,
      });
  }
}

/**
 * Whether a failure puts the whole store in doubt. The others (a value that a column does not take, a bug in one
 * handler) concern the one request.
 */
export function isFatal(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return (
    code.startsWith('SQLITE_') && !/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE|ERROR$)/.test(code)
  );
}

/** Whether a row with this key is there already. */
export function isDuplicateKey(thrown: unknown): boolean {
  return codeOf(thrown) === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
  return typeof code === 'string' ? code : '';
}

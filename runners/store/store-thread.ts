import { parentPort, workerData } from 'node:worker_threads';
import { TalariaError } from '../../src/errors.js';
import { type ClaimOptions, claimRun } from './claim-run.js';
import { type DatabaseOptions, openDatabase } from './open-database.js';
import type { OpenMessage } from './protocol.js';
import { storeError } from './store-error.js';
import { StoreServer } from './store-server.js';

/** What the thread is started with. */
export interface StoreThreadData {
  readonly database: DatabaseOptions;
  readonly claim: ClaimOptions;
}

/** Entry of the store's thread: opens run.db, says so, and serves until it is told to close. */
function main(): void {
  const port = parentPort;
  if (port === null) {
    throw new TalariaError({ code: 'internal', message: 'store-thread.js is not a program.' });
  }
  const data = workerData as StoreThreadData;
  const send = (message: OpenMessage) => port.postMessage(message);
  const { path, network } = data.database;
  try {
    const database = openDatabase(data.database);
    try {
      const { runId, name, resumed, start } = claimRun(database, data.claim);
      const onClose = () => {
        closeDatabase(database, network);
        port.close();
      };
      new StoreServer({ path, database, start, onClose }).serve(port);
      send({ opened: { runId, name, resumed } });
    } catch (thrown) {
      closeDatabase(database, network);
      throw thrown;
    }
  } catch (thrown) {
    const { code, message } = storeError(thrown, path);
    send({ refused: { code, message } });
    port.close();
  }
}

/**
 * A run that nobody writes is left as one plain file: it can be copied as it is and read from a directory that is not
 * writable, which a write-ahead log does not allow. Best effort: a reader may be at work, or the disk full.
 */
function closeDatabase(database: ReturnType<typeof openDatabase>, network: boolean): void {
  try {
    if (!network) {
      database.pragma('busy_timeout = 0');
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.pragma('journal_mode = delete');
    }
  } catch {
    // The write-ahead log stays beside the file, and the next start or reader uses it.
  } finally {
    database.close();
  }
}

main();

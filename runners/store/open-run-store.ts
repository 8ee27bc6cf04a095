import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunIdentity } from './compare-identity.js';
import { networkFileSystem } from './network-file-system.js';
import { acquireRunLock } from './run-lock.js';
import type { RunStore } from './run-store.js';
import { startStoreThread } from './start-store-thread.js';
import { damagedRun, storeError } from './store-error.js';
import { ThreadedRunStore } from './threaded-run-store.js';
import { writeRunYaml } from './write-run-yaml.js';

export interface OpenRunStoreOptions {
  /** The run directory, absolute; created when it is missing. */
  readonly directory: string;
  readonly name: string;
  /** Goes on with a run that is there; without it such a run is refused. */
  readonly resume: boolean;
  /** What makes the run what it is: option to canonical JSON text. */
  readonly identity: RunIdentity;
  /** For `run.yaml`. */
  readonly configYaml: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Reads every page of run.db first (seconds for each gigabyte). @default false: only a small file, after a crash */
  readonly check?: boolean;
  /** For tests only: a disk that is full at so many pages, a network file system. */
  readonly simulate?: { readonly maxPages?: number; readonly network?: boolean };
}

/**
 * Opens a run for writing: takes its lock and starts the thread that holds run.db. Throws a TalariaError: `run_locked`,
 * `run_mismatch`, `run_damaged`, `usage` when the directory cannot be made or written, or `store_failed`.
 */
export async function openRunStore(options: OpenRunStoreOptions): Promise<RunStore> {
  const { directory, resume, now } = options;
  const path = join(directory, 'run.db');
  const lock = inDirectory(directory, () => {
    makeDirectory(directory);
    return acquireRunLock(directory, now());
  });
  try {
    refuseLostDatabase(directory, path);
    const unclean = lock.takenOver || size(`${path}-wal`) > 0;
    const fileSystem = options.simulate?.network ? 'NFS' : networkFileSystem(directory);
    const { maxPages } = options.simulate ?? {};
    const thread = await startStoreThread({
      database: {
        path,
        network: fileSystem !== null,
        check: options.check === true ? 'always' : unclean ? 'unclean' : 'never',
        ...(maxPages === undefined ? {} : { maxPages }),
      },
      claim: {
        directory,
        name: options.name,
        identity: options.identity,
        resume,
        newRunId: randomUUID(),
        now: now(),
        host: hostname(),
        pid: process.pid,
      },
    });
    const { run } = thread;
    const warnings = [
      ...(fileSystem === null ? [] : [networkWarning(directory, fileSystem)]),
      ...(resume && !run.resumed ? [`There was no run in ${directory}: a new one begins.`] : []),
      ...(run.name === options.name
        ? []
        : [`The run in ${directory} keeps its name, "${run.name}".`]),
    ];
    const store = new ThreadedRunStore(thread, warnings, () => lock.release());
    try {
      inDirectory(directory, () => writeRunYaml(directory, options.configYaml));
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
    return store;
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** A run that lost its database must not silently begin anew and pay for everything twice. */
function refuseLostDatabase(directory: string, path: string): void {
  if (size(path) > 0) {
    return;
  }
  const left = ['run.yaml', 'run.db-wal'].filter((name) => size(join(directory, name)) > 0);
  if (left.length > 0) {
    // A configuration that somebody called run.yaml looks like a run that lost its database.
    const own =
      left.length === 1 && left[0] === 'run.yaml'
        ? ' If run.yaml is a file of your own, choose another --out.'
        : '';
    throw damagedRun(
      path,
      `it is missing or empty, while ${left.join(' and ')} of a run is there`,
      undefined,
      own,
    );
  }
}

/** Size of a file in bytes, -1 when there is none. */
function size(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

/** Not `recursive`: where the file system says ENOENT whatever is there (/proc), that never ends. */
function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) {
    return;
  }
  const parent = dirname(directory);
  if (parent !== directory) {
    makeDirectory(parent);
  }
  try {
    mkdirSync(directory);
  } catch (thrown) {
    // Another process may have been faster.
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw thrown;
    }
  }
}

function inDirectory<Value>(directory: string, action: () => Value): Value {
  try {
    return action();
  } catch (thrown) {
    throw storeError(thrown, directory);
  }
}

function networkWarning(directory: string, fileSystem: string): string {
  return (
    `${directory} is on a network file system (${fileSystem}): the run store uses a rollback journal, which is slower ` +
    'and makes it wait while the run is being read. A local disk is better.'
  );
}

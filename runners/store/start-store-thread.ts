import { Worker } from 'node:worker_threads';
import { TalariaError } from '../../src/errors.js';
import type { FromStore, OpenedRun } from './protocol.js';
import { StoreChannel, storeGone } from './store-channel.js';
import type { StoreThreadData } from './store-thread.js';

/** The running thread with the run open. */
export interface StoreThread {
  readonly run: OpenedRun;
  readonly worker: Worker;
  readonly channel: StoreChannel;
  /** Resolves when the thread has gone, however it ended. */
  readonly exited: Promise<void>;
}

/** Starts the store's thread and waits until it has the run open. Rejects with what stood in the way. */
export async function startStoreThread(data: StoreThreadData): Promise<StoreThread> {
  const worker = new Worker(new URL('./store-thread.js', import.meta.url), {
    workerData: data,
    // It needs none, and keys have no place where trajectories are stored.
    env: {},
  });
  const channel = new StoreChannel(worker);
  const { promise: exited, resolve: exit } = deferred();
  const run = await new Promise<OpenedRun>((resolve, reject) => {
    let failure: unknown;
    worker.on('message', (message: FromStore) => {
      if ('stored' in message) {
        channel.receive(message);
      } else if ('opened' in message) {
        resolve(message.opened);
      } else {
        // The lock may go only when the thread no longer touches the directory.
        void exited.then(() => reject(new TalariaError(message.refused)));
      }
    });
    worker.once('error', (error) => {
      failure = error;
    });
    worker.once('exit', () => {
      const gone = storeGone(failure);
      channel.end(gone);
      exit();
      // Does nothing after `opened`, and comes after the reason of a refusal.
      void exited.then(() => reject(gone));
    });
    worker.ref();
  });
  worker.unref();
  return { run, worker, channel, exited };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let settle: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: () => settle() };
}

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { TalariaError } from '../../src/errors.js';
import { encodeTask } from '../../src/rollout/task-text.js';
import type { EncodedTask } from './protocol.js';
import type {
  PendingRollout,
  PlannedTask,
  PlanStep,
  RunCounts,
  RunStore,
  Spent,
} from './run-store.js';
import type { StoreThread } from './start-store-thread.js';

/** So much of a plan goes into one request: the requests of others must not wait for a million tasks. */
const chunkTasks = 250;
const chunkCharacters = 1_000_000;

/** {@link RunStore} by messages to the store's thread. */
export class ThreadedRunStore implements RunStore {
  readonly runId: string;
  readonly resumed: boolean;
  readonly warnings: readonly string[];
  readonly #thread: StoreThread;
  readonly #onClosed: () => void;
  #closed: Promise<void> | null = null;

  constructor(thread: StoreThread, warnings: readonly string[], onClosed: () => void) {
    this.runId = thread.run.runId;
    this.resumed = thread.run.resumed;
    this.warnings = warnings;
    this.#thread = thread;
    this.#onClosed = onClosed;
  }

  planned(): Promise<{ readonly fingerprint: string; readonly samples: number } | null> {
    return this.#thread.channel.call('planned', null);
  }

  async beginPlan(): Promise<void> {
    await this.#thread.channel.call('beginPlan', null);
  }

  async plan(tasks: readonly PlannedTask[], samples: number): Promise<PlanStep> {
    let added = 0;
    let merged = 0;
    for (const chunk of chunks(tasks)) {
      const step = await this.#thread.channel.call('plan', { tasks: chunk, samples });
      added += step.added;
      merged += step.merged;
    }
    return { added, merged };
  }

  async endPlan(fingerprint: string | null, samples: number): Promise<void> {
    await this.#thread.channel.call('endPlan', { fingerprint, samples });
  }

  next(count: number): Promise<readonly PendingRollout[]> {
    return this.#thread.channel.call('next', count);
  }

  reclaim(rolloutId: number): Promise<PendingRollout | null> {
    return this.#thread.channel.call('reclaim', rolloutId);
  }

  retry(rolloutId: number): Promise<PendingRollout> {
    return this.#thread.channel.call('retry', rolloutId);
  }

  async fail(
    rolloutId: number,
    error: { readonly class: string; readonly message: string },
  ): Promise<void> {
    await this.#thread.channel.call('fail', {
      rolloutId,
      class: error.class,
      message: error.message,
    });
  }

  async reopen(errorClass: string): Promise<void> {
    await this.#thread.channel.call('reopen', errorClass);
  }

  counts(): Promise<RunCounts> {
    return this.#thread.channel.call('counts', null);
  }

  spent(): Promise<Spent> {
    return this.#thread.channel.call('spent', null);
  }

  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#thread.worker.postMessage({ connect: port1 }, [port1]);
    return port2;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { channel, worker, exited } = this.#thread;
    const closing = channel.call('close', null);
    channel.refuse(
      new TalariaError({ code: 'store_failed', message: 'The run store has been closed.' }),
    );
    // A thread that died has nothing to flush; its lock goes all the same.
    await closing.catch(() => {});
    worker.ref();
    await exited;
    this.#onClosed();
  }
}

function* chunks(tasks: readonly PlannedTask[]): Iterable<EncodedTask[]> {
  let chunk: EncodedTask[] = [];
  let characters = 0;
  for (const { key, task, promptJson } of tasks) {
    const body = encodeTask(task, promptJson);
    chunk.push({ key, name: task.id, body });
    characters += body.length;
    if (chunk.length === chunkTasks || characters >= chunkCharacters) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

import { threadId } from 'node:worker_threads';
import { messageOf, TalariaError } from '../../src/errors.js';
import type { Task } from '../../src/rollout/task.js';
import { decodeTask, type EncodedPrompt } from '../../src/rollout/task-text.js';
import { connectStore } from '../store/connect-store.js';
import type { LaneStore, PendingRollout, RolloutHandle } from '../store/run-store.js';
import { BlackBox } from './black-box.js';
import { EventOutbox } from './event-outbox.js';
import type { CancelReason, FromLane, LaneStart, ToLane } from './lane-protocol.js';
import { type LaneResources, openLaneResources } from './lane-resources.js';
import { runPending } from './run-pending.js';
import { StrayGuard } from './stray-guard.js';

/** The Piscina task: runs rollouts as they are assigned, until it is told to stop and the last one has ended. */
export async function runLane(start: LaneStart): Promise<void> {
  sendPrintsToStderr();
  let resources: LaneResources;
  try {
    resources = await openLaneResources(start.config);
  } catch (thrown) {
    const code = TalariaError.isInstance(thrown) ? thrown.code : 'internal';
    start.control.postMessage({ type: 'refused', code, message: messageOf(thrown) });
    start.control.close();
    start.store.close();
    return;
  }
  await new Lane(start, resources).run();
}

/** One running rollout, as the lane sees it. */
interface Running {
  readonly abort: AbortController;
  /** A stray error that was traced to it; the rollout then counts as failed, whatever it left. */
  strayError: string | null;
  /** Its outcome is on its way to the store: a stray error can no longer change it. */
  judged: boolean;
}

class Lane {
  readonly #start: LaneStart;
  readonly #resources: LaneResources;
  readonly #store: LaneStore;
  readonly #blackBox: BlackBox;
  readonly #guard: StrayGuard;
  readonly #outbox: EventOutbox;
  readonly #running = new Map<number, Running>();
  #stopping = false;
  #onIdle: (() => void) | null = null;

  constructor(start: LaneStart, resources: LaneResources) {
    this.#start = start;
    this.#resources = resources;
    this.#store = connectStore(start.store);
    this.#blackBox = new BlackBox(start.blackBox);
    this.#outbox = new EventOutbox({
      wanted: start.config.events,
      send: (events, metered) => this.#send({ type: 'events', events, metered }),
    });
    this.#guard = new StrayGuard({
      blackBox: this.#blackBox,
      trace: resources.foreignCode,
      onRolloutError: (rolloutId, message) => this.#onStray(rolloutId, message),
      onUnknownError: (message) => this.#send({ type: 'stray', message }),
    });
  }

  async run(): Promise<void> {
    this.#guard.install();
    const stopped = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    this.#start.control.on('message', (message: ToLane) => this.#receive(message));
    this.#send({ type: 'ready', threadId });
    await stopped;
    this.#outbox.close();
    await this.#resources.close();
    this.#store.close();
    this.#start.control.close();
  }

  #send(message: FromLane): void {
    this.#start.control.postMessage(message);
  }

  #receive(message: ToLane): void {
    if (message.type === 'assign') {
      this.#begin(message.pending);
    } else if (message.type === 'cancel') {
      this.#cancel(message.rolloutId, message.reason);
    } else {
      this.#stopping = true;
      this.#endWhenIdle();
    }
  }

  /** Parses the task here, so that its text is not held while the rollout runs. */
  #begin({ task: text, ...pending }: PendingRollout): void {
    const decoded = decodeTask(text);
    if (decoded.ok) {
      void this.#assign(pending, decoded);
    } else {
      const message = `The stored task ${pending.taskKey} cannot be read: ${decoded.error}`;
      this.#send({ type: 'broken', rolloutId: pending.rolloutId, message });
    }
  }

  async #assign(
    pending: RolloutHandle,
    { task, encodedPrompt }: { readonly task: Task; readonly encodedPrompt: EncodedPrompt },
  ): Promise<void> {
    const { rolloutId } = pending;
    const running: Running = { abort: new AbortController(), strayError: null, judged: false };
    this.#running.set(rolloutId, running);
    try {
      const done = await this.#guard.run(rolloutId, () =>
        runPending({
          pending,
          task,
          encodedPrompt,
          config: this.#start.config,
          resources: this.#resources,
          store: this.#store,
          signal: running.abort.signal,
          judge: () => {
            running.judged = true;
            return running.strayError;
          },
          emit: (origin, event) => {
            this.#blackBox.enter(rolloutId);
            this.#outbox.add(origin, event);
          },
        }),
      );
      this.#outbox.flush();
      this.#send({ type: 'done', ...done });
    } catch (thrown) {
      if (TalariaError.isInstance(thrown) && isStoreFailure(thrown)) {
        this.#send({ type: 'store-failed', code: thrown.code, message: thrown.message });
      } else {
        this.#send({ type: 'broken', rolloutId, message: messageOf(thrown) });
      }
    } finally {
      this.#running.delete(rolloutId);
      this.#endWhenIdle();
    }
  }

  #cancel(rolloutId: number, reason: CancelReason): void {
    this.#running.get(rolloutId)?.abort.abort(reason);
  }

  #onStray(rolloutId: number, message: string): void {
    const running = this.#running.get(rolloutId);
    if (running === undefined || running.judged) {
      this.#send({ type: 'stray', message });
      return;
    }
    running.strayError ??= message;
    running.abort.abort('cancelled');
  }

  #endWhenIdle(): void {
    if (this.#stopping && this.#running.size === 0) {
      this.#onIdle?.();
    }
  }
}

function isStoreFailure(error: TalariaError): boolean {
  return error.code === 'store_failed' || error.code === 'run_damaged';
}

/** A user's module may print; standard output belongs to results, which the main thread alone writes. */
function sendPrintsToStderr(): void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

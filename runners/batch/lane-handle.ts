import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import type { PendingRollout, RolloutHandle } from '../store/run-store.js';
import { BlackBox } from './black-box.js';
import type { CancelReason, FromLane, LaneConfig, LaneStart, ToLane } from './lane-protocol.js';

export interface LaneHandleOptions {
  readonly pool: Piscina;
  readonly config: LaneConfig;
  readonly storePort: MessagePort;
  /** Rollouts at once. */
  readonly capacity: number;
  readonly now: () => number;
  onMessage(lane: LaneHandle, message: FromLane): void;
  /** Once, when the thread is gone: null after an orderly stop, else why it died. */
  onEnd(lane: LaneHandle, death: string | null): void;
}

/** The main thread's side of one worker thread: what it holds, and when it last gave a sign of life. */
export class LaneHandle {
  readonly capacity: number;
  /** Rollouts that were assigned and have not ended, by id. */
  readonly held = new Map<number, RolloutHandle>();
  readonly blackBox = new BlackBox();
  readonly #options: LaneHandleOptions;
  readonly #control: MessagePort;
  #threadId: number | null = null;
  #lastSign: number;
  #stopping = false;
  #killReason: string | null = null;

  constructor(options: LaneHandleOptions) {
    this.#options = options;
    this.capacity = options.capacity;
    this.#lastSign = options.now();
    const { port1, port2 } = new MessageChannel();
    this.#control = port1;
    port1.on('message', (message: FromLane) => this.#receive(message));
    this.#run({
      config: options.config,
      control: port2,
      store: options.storePort,
      blackBox: this.blackBox.buffer,
    });
  }

  get ready(): boolean {
    return this.#threadId !== null && !this.#stopping && this.#killReason === null;
  }

  /** The thread has started, and its modules are open. */
  get opened(): boolean {
    return this.#threadId !== null;
  }

  get free(): number {
    return this.ready ? this.capacity - this.held.size : 0;
  }

  /** Milliseconds since the lane was last heard of. */
  get silentMs(): number {
    return this.#options.now() - this.#lastSign;
  }

  assign(pending: PendingRollout): void {
    // Without its task: thousands of them would stay in memory for nothing.
    const { task: _task, ...handle } = pending;
    this.held.set(pending.rolloutId, handle);
    this.#send({ type: 'assign', pending });
  }

  cancel(rolloutId: number, reason: CancelReason): void {
    this.#send({ type: 'cancel', rolloutId, reason });
  }

  cancelAll(): void {
    for (const rolloutId of this.held.keys()) {
      this.cancel(rolloutId, 'cancelled');
    }
  }

  /** Asks it to end once nothing runs in it. */
  stop(): void {
    this.#stopping = true;
    this.#send({ type: 'stop' });
  }

  /** Ends the thread at once. */
  kill(reason: string): void {
    this.#killReason = reason;
    const thread = this.#options.pool.threads.find((worker) => worker.threadId === this.#threadId);
    void thread?.terminate();
  }

  #send(message: ToLane): void {
    this.#control.postMessage(message);
  }

  #receive(message: FromLane): void {
    this.#lastSign = this.#options.now();
    if (message.type === 'ready') {
      this.#threadId = message.threadId;
    }
    this.#options.onMessage(this, message);
  }

  #run(start: LaneStart): void {
    const { pool } = this.#options;
    pool.run(start, { name: 'runLane', transferList: [start.control, start.store] }).then(
      () => this.#end(this.#stopping ? null : 'it returned before it was told to'),
      (thrown: unknown) =>
        this.#end(this.#killReason ?? (thrown instanceof Error ? thrown.message : String(thrown))),
    );
  }

  #end(death: string | null): void {
    this.#threadId = null;
    // What the lane sent before it ended may still be on its way: it is read before the end is told.
    setImmediate(() => {
      this.#control.close();
      this.#options.onEnd(this, death);
    });
  }
}

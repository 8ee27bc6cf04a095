import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { TalariaError } from '../../src/errors.js';
import type { RunStore } from '../store/run-store.js';
import { LaneHandle } from './lane-handle.js';
import type { FromLane, LaneConfig } from './lane-protocol.js';

export interface LanePoolOptions {
  readonly config: LaneConfig;
  readonly store: RunStore;
  readonly threads: number;
  readonly concurrency: number;
  /** Environment of the worker threads. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
  onMessage(lane: LaneHandle, message: FromLane): void;
  /** A lane's thread is gone without having been told to stop. */
  onDeath(lane: LaneHandle, reason: string): void;
  /** Worker threads cannot even start: the run has to end. */
  onFatal(error: TalariaError): void;
}

/** Deaths in a row before any lane became ready: the workers cannot start at all. */
const maxFailedStarts = 3;

/** The worker threads of a run: as many lanes as there are threads, and one for suspects, which run alone. */
export class LanePool {
  readonly #options: LanePoolOptions;
  readonly #pool: Piscina;
  readonly #lanes = new Set<LaneHandle>();
  #isolation: LaneHandle | null = null;
  #failedStarts = 0;
  #closing = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: LanePoolOptions) {
    this.#options = options;
    this.#pool = new Piscina({
      filename: fileURLToPath(new URL('./lane.js', import.meta.url)),
      minThreads: options.threads,
      // One more for the isolation lane, which starts when it is first needed.
      maxThreads: options.threads + 1,
      concurrentTasksPerWorker: 1,
      // `sync` would freeze an idle worker's event loop: no sign of life, no control messages.
      atomics: 'async',
      env: { ...options.environment },
      // Without a limit of its own, a worker that runs out of memory may take the whole process with it.
      resourceLimits: {
        maxOldGenerationSizeMb: heapLimitMb(options.threads),
        // Twice the default: what hundreds of rollouts hold is copied half as often.
        maxYoungGenerationSizeMb: 96,
      },
      recordTiming: false,
      workerHistogram: false,
    });
    for (let lane = 0; lane < options.threads; lane += 1) {
      this.#lanes.add(this.#open(laneCapacity(options, lane)));
    }
  }

  /** The lanes for ordinary work. */
  get lanes(): ReadonlySet<LaneHandle> {
    return this.#lanes;
  }

  get all(): readonly LaneHandle[] {
    return this.#isolation === null ? [...this.#lanes] : [...this.#lanes, this.#isolation];
  }

  /** The lane for suspects: one rollout at a time. */
  isolation(): LaneHandle {
    this.#isolation ??= this.#open(1);
    return this.#isolation;
  }

  isIsolation(lane: LaneHandle): boolean {
    return lane === this.#isolation;
  }

  get held(): number {
    return this.all.reduce((sum, lane) => sum + lane.held.size, 0);
  }

  /** Stops lanes that hold nothing; kills those that do not end within `graceMs`, and those that have not even begun. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const lane of this.all) {
      lane.stop();
    }
    this.#endWhenEmpty();
    const timer = setTimeout(() => this.#onEmpty?.(), graceMs);
    await empty;
    clearTimeout(timer);
    // Not `pool.close()`: it loses tasks. Every lane has ended by now or is to be ended.
    await this.#pool.destroy();
  }

  #open(capacity: number): LaneHandle {
    const { config, store, now, onMessage } = this.#options;
    return new LaneHandle({
      pool: this.#pool,
      config,
      storePort: store.connect(),
      capacity,
      now,
      onMessage: (lane, message) => {
        if (message.type === 'ready') {
          this.#failedStarts = 0;
        }
        onMessage(lane, message);
      },
      onEnd: (lane, death) => this.#onEnd(lane, death),
    });
  }

  #onEnd(lane: LaneHandle, death: string | null): void {
    const wasIsolation = this.isIsolation(lane);
    if (wasIsolation) {
      this.#isolation = null;
    } else {
      this.#lanes.delete(lane);
    }
    if (this.#closing) {
      this.#endWhenEmpty();
      return;
    }
    if (lane.held.size === 0) {
      this.#failedStarts += 1;
    }
    if (this.#failedStarts >= maxFailedStarts) {
      const message = `Worker threads end as soon as they start: ${death ?? 'no reason given'}`;
      this.#options.onFatal(new TalariaError({ code: 'internal', message }));
      return;
    }
    if (!wasIsolation) {
      this.#lanes.add(this.#open(lane.capacity));
    }
    this.#options.onDeath(lane, death ?? 'it ended without a reason');
  }

  #endWhenEmpty(): void {
    if (!this.all.some((lane) => lane.opened)) {
      this.#onEmpty?.();
    }
  }
}

/** The worker's share of half the machine's memory, within what makes sense for a heap. */
function heapLimitMb(threads: number): number {
  const share = Math.floor(totalmem() / 2 ** 20 / 2 / (threads + 1));
  return Math.max(512, Math.min(3072, share));
}

/** Spreads the rollouts over the lanes as evenly as they go. */
function laneCapacity({ concurrency, threads }: LanePoolOptions, lane: number): number {
  const share = Math.floor(concurrency / threads);
  return share + (lane < concurrency % threads ? 1 : 0);
}

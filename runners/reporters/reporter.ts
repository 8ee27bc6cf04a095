import type { EventType, RolloutEvent } from '../../src/rollout/event.js';
import type { RunCounts } from '../store/run-store.js';

/** Shows a running batch. Every method is optional and must not throw. Writes to stderr only. */
export interface Reporter {
  /** Once, when the store is open. */
  onStart?(run: RunStart): void;
  /** What {@link onEvents} is to get; everything when left out. What nobody wants does not leave the worker. */
  readonly eventTypes?: readonly EventType[];
  /** Each event of each rollout, in batches of some milliseconds; deltas left out. */
  onEvents?(events: readonly RolloutEvent[]): void;
  /** About four times a second, and once at the end. */
  onProgress?(progress: RunProgress): void;
  /** A sentence for the user, once. */
  onNotice?(notice: RunNotice): void;
  /** Once, after everything was stored. */
  onEnd?(): void;
}

export interface RunStart {
  readonly name: string;
  readonly directory: string;
  readonly resumed: boolean;
  readonly concurrency: number;
  readonly threads: number;
}

export interface RunProgress {
  /** Rollouts of the plan so far; grows while the data set is being read. */
  readonly total: number;
  readonly planning: boolean;
  /** With a final outcome, earlier starts included. */
  readonly done: number;
  readonly failed: number;
  readonly discarded: number;
  readonly running: number;
  /** Of this start only: */
  readonly finishedNow: number;
  readonly modelCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly retries: number;
  readonly costUsd: number | null;
  readonly elapsedMs: number;
}

export interface RunNotice {
  readonly level: 'info' | 'warning' | 'error';
  readonly code: string;
  readonly message: string;
}

export type { RunCounts };

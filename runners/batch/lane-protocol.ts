import type { MessagePort } from 'node:worker_threads';
import type { EnvironmentConfig } from '../../environments/environment.js';
import type { RolloutConfig } from '../../environments/rollout-config.js';
import type { ModelConfig } from '../../src/models/model-provider.js';
import type { EventType, RolloutEvent } from '../../src/rollout/event.js';
import type { RolloutStatus } from '../../src/rollout/exit-reason.js';
import type { PendingRollout } from '../store/run-store.js';
import type { Metered } from './metered.js';

/**
 * A lane is one long Piscina task: a worker thread that runs many rollouts on one event loop. It is steered over a
 * control channel of its own, since a pool that knows single rollouts would decide where they run, and its abort signals
 * end a whole thread.
 */
export interface LaneStart {
  readonly config: LaneConfig;
  /** The lane's end of the control channel: receives {@link ToLane}, sends {@link FromLane}. */
  readonly control: MessagePort;
  /** The lane's own channel to the store thread. */
  readonly store: MessagePort;
  /** What the lane was doing when it died: see {@link BlackBox}. */
  readonly blackBox: SharedArrayBuffer;
}

/** What every rollout of the run shares; the model's key is in it, and nowhere else in the worker. */
export interface LaneConfig {
  readonly rollout: RolloutConfig;
  readonly environment: EnvironmentConfig;
  readonly model: ModelConfig;
  /** The events that somebody listens to; null for all. */
  readonly events: readonly EventType[] | null;
}

/** Why a rollout is cancelled: `deadline` is its wall limit. It is the abort reason that the agent sees. */
export type CancelReason = 'cancelled' | 'deadline';

export type ToLane =
  | { readonly type: 'assign'; readonly pending: PendingRollout }
  | { readonly type: 'cancel'; readonly rolloutId: number; readonly reason: CancelReason }
  | { readonly type: 'stop' };

export type FromLane =
  | { readonly type: 'ready'; readonly threadId: number }
  /** The configuration cannot work in a worker: the run ends. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
  /** At least once a second, also when empty: a sign of life. */
  | {
      readonly type: 'events';
      readonly events: readonly RolloutEvent[];
      readonly metered: Metered;
    }
  | ({ readonly type: 'done' } & RolloutDone)
  /** A rollout that ended by a bug of ours and left no record. */
  | { readonly type: 'broken'; readonly rolloutId: number; readonly message: string }
  /** A stray rejection or exception that belongs to no running rollout. */
  | { readonly type: 'stray'; readonly message: string }
  | { readonly type: 'store-failed'; readonly code: string; readonly message: string };

/** What the main thread needs to know of an ended rollout; the record itself is in the store. */
export interface RolloutDone {
  readonly rolloutId: number;
  /** The store refused it: the rollout belongs to another holder by now. */
  readonly stale: boolean;
  readonly status: RolloutStatus;
  readonly errorClass: string | null;
  readonly errorMessage: string | null;
  /** Whether another attempt in this start may succeed; a later start tries more: see `isMendable`. */
  readonly retryable: boolean;
  readonly costUsd: number | null;
}

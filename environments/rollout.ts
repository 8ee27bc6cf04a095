import type { LoadedReward } from '../rewards/load-rewards.js';
import type { Clock } from '../src/clock.js';
import type { Model } from '../src/models/model.js';
import type { EmitEvent } from '../src/rollout/event.js';
import type { Task } from '../src/rollout/task.js';
import type { SandboxProvider } from '../src/sandbox/sandbox.js';
import type { ToolCatalog } from '../src/tools/catalog.js';
import type { Environment } from './environment.js';
import type { RolloutConfig } from './rollout-config.js';

/** One attempt at one task. */
export interface RolloutInput {
  readonly task: Task;
  readonly taskKey: string;
  readonly sample: number;
  readonly attempt: number;
  readonly environment: Environment;
  readonly config: RolloutConfig;
  /** Fresh, for this rollout alone. */
  readonly model: Model;
  /** Finds the provider for a task's image; rejects with `sandbox_unavailable`. Cached per worker. */
  readonly sandboxFor: (image: string | null) => Promise<SandboxProvider>;
  readonly tools: ToolCatalog;
  readonly rewards: readonly LoadedReward[];
  /** Replies of an earlier start that were paid and could not be used. */
  readonly wastedCalls: number;
  readonly versions: { readonly [name: string]: string };
  /** Aborted to cancel the rollout; what it then leaves is a record with status `cancelled`. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: EmitEvent;
}

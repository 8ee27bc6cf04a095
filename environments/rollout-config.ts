import type { RewardConfig } from '../rewards/reward-function.js';
import type { AgentConfig } from '../src/agent/agent.js';
import type { ModelPrice } from '../src/models/model-provider.js';
import type { SandboxConfig, SandboxOwner, VerifyMode } from '../src/sandbox/sandbox.js';
import type { Distribution } from '../src/tools/distribution.js';

/** What is the same for every rollout of a run: immutable, and the only thing that rollouts share. */
export interface RolloutConfig {
  readonly run: string;
  readonly runSeed: number;
  readonly agent: AgentConfig;
  readonly toolsets: ToolsetConfig;
  readonly sandbox: SandboxConfig;
  readonly owner: SandboxOwner;
  readonly rewards: readonly RewardConfig[];
  /** Null: `fresh` where the task declares artifacts, else `snapshot`. */
  readonly verify: VerifyMode | null;
  /** Limit of one reward. */
  readonly rewardTimeoutMs: number;
  readonly records: RecordsConfig;
  /** `provider:model` of the policy, for the record. */
  readonly model: string;
  readonly price: ModelPrice | null;
}

export interface ToolsetConfig {
  /** The table to sample from; exclusive with `enabled`. */
  readonly distribution: Distribution | null;
  /** Exactly these toolsets; exclusive with `distribution`. */
  readonly enabled: readonly string[] | null;
  /** `task`: all samples of a task share one draw. */
  readonly samplePer: 'rollout' | 'task';
}

export interface RecordsConfig {
  /** What happens to a rollout without any reasoning. `off` for `oracle`, `replay` and `nop`. */
  readonly requireReasoning: 'discard' | 'tag' | 'off';
  readonly recordTokens: boolean;
}

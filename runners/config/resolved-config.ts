import type { EnvironmentConfig } from '../../environments/environment.js';
import type { RecordsConfig, ToolsetConfig } from '../../environments/rollout-config.js';
import type { RewardConfig } from '../../rewards/reward-function.js';
import type { AgentConfig } from '../../src/agent/agent.js';
import type { ModelConfig } from '../../src/models/model-provider.js';
import type { SandboxConfig, VerifyMode } from '../../src/sandbox/sandbox.js';

/** A run's configuration with every default filled in, paths absolute, times in milliseconds. Plain data, frozen. */
export interface ResolvedConfig {
  readonly name: string;
  /** The run directory, absolute. */
  readonly out: string;
  readonly environment: EnvironmentConfig;
  readonly model: ModelConfig;
  /** Other roles, for example `judge`. */
  readonly models: { readonly [role: string]: ModelConfig };
  readonly agent: AgentConfig;
  readonly toolsets: ToolsetConfig;
  readonly sandbox: SandboxConfig;
  readonly run: RunConfig;
  readonly rewards: readonly RewardConfig[];
  readonly verify: VerifyMode | null;
  readonly rewardTimeoutMs: number;
  readonly records: RecordsConfig;
  /** Formats written when the run ends. */
  readonly export: readonly string[];
  /**
   * Options that make a run what it is, by their key in the file (`model.use`), as canonical JSON text. A resume
   * refuses a change of any of them.
   */
  readonly identity: { readonly [key: string]: string };
  /** The whole configuration as YAML text without secrets, for `run.yaml`. */
  readonly yaml: string;
}

export interface RunConfig {
  readonly samples: number;
  /** Rollouts at once, over all threads. */
  readonly concurrency: number;
  readonly threads: number;
  readonly seed: number;
  readonly maxCostUsd: number | null;
  /** Attempts of one rollout in one start of the run. */
  readonly maxAttempts: number;
  /** Share of failed rollouts (0 to 1) above which the exit code is 1. */
  readonly failOnError: number;
  /** What a first Ctrl-C, and a rollout past its wall limit, may still take. */
  readonly graceMs: number;
  /** Limit of opening users' modules, in each thread. */
  readonly openTimeoutMs: number;
  /** Stop when five of the first ten rollouts fail alike. */
  readonly canary: boolean;
  /** Only the first so many tasks, or null for all. */
  readonly limit: number | null;
}

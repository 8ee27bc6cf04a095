import type { SandboxOwner } from '../../src/sandbox/sandbox.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { eventTypesOf } from '../reporters/combine-reporters.js';
import type { Reporter } from '../reporters/reporter.js';
import type { LaneConfig } from './lane-protocol.js';

/** The part of a configuration that workers get. */
export function laneConfigOf(
  config: ResolvedConfig,
  owner: SandboxOwner,
  reporter: Reporter,
): LaneConfig {
  return {
    events: eventTypesOf([reporter]),
    environment: config.environment,
    model: config.model,
    rollout: {
      run: config.name,
      runSeed: config.run.seed,
      agent: config.agent,
      toolsets: config.toolsets,
      sandbox: { ...config.sandbox, maxParallelExec: share(config) },
      owner,
      rewards: config.rewards,
      verify: config.verify,
      rewardTimeoutMs: config.rewardTimeoutMs,
      records: config.records,
      model: config.model.use,
      price: config.model.price,
    },
  };
}

/** Of the commands that may run at once, one lane's part. */
function share({ sandbox, run }: ResolvedConfig): number {
  return Math.max(1, Math.round(sandbox.maxParallelExec / run.threads));
}

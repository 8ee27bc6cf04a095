import type { Environment } from '../../environments/environment.js';
import { openEnvironment } from '../../environments/load-environment.js';
import { type LoadedReward, loadRewards } from '../../rewards/load-rewards.js';
import { systemClock } from '../../src/clock.js';
import type { ModelConnection } from '../../src/models/model-provider.js';
import { modelProviderOf, openModel } from '../../src/models/open-model.js';
import { resolveSandboxProvider } from '../../src/sandbox/resolve-sandbox.js';
import type { SandboxProvider } from '../../src/sandbox/sandbox.js';
import { loadToolCatalog, type ToolCatalog } from '../../src/tools/catalog.js';
import { foreignModules } from './foreign-code.js';
import { ForeignGuard } from './foreign-guard.js';
import type { LaneConfig } from './lane-protocol.js';

/** What the rollouts of one lane share: all of it immutable, or safe for many at once. */
export interface LaneResources {
  readonly environment: Environment;
  readonly rewards: readonly LoadedReward[];
  readonly tools: ToolCatalog;
  readonly connection: ModelConnection;
  /** The model answers from local data: nothing is paid for it. */
  readonly offline: boolean;
  /** Code of the user's runs in this worker. */
  readonly foreignCode: boolean;
  sandboxFor(image: string | null): Promise<SandboxProvider>;
  close(): Promise<void>;
}

/** Loads a worker's modules. Rejects with a TalariaError when the configuration cannot work. */
export async function openLaneResources(config: LaneConfig): Promise<LaneResources> {
  const modules = foreignModules({ ...config, rewards: config.rollout.rewards });
  const guard = new ForeignGuard(modules);
  const opened = Promise.all([
    openEnvironment(config.environment),
    loadRewards(config.rollout.rewards),
    loadToolCatalog(),
    openModel(config.model, { clock: systemClock, random: Math.random }),
    modelProviderOf(config.model.use),
  ]);
  const [environment, rewards, tools, connection, provider] = await guard
    .race(opened)
    .finally(() => guard.close());
  const providers = new Map<string, Promise<SandboxProvider>>();
  return {
    environment,
    rewards,
    tools,
    connection,
    offline: provider.offline,
    foreignCode: modules.length > 0,
    sandboxFor(image) {
      const key = image ?? '';
      const known = providers.get(key) ?? resolveSandboxProvider(config.rollout.sandbox, image);
      providers.set(key, known);
      return known;
    },
    close: () => connection.close(),
  };
}

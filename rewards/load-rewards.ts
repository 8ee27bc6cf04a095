import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deepFreeze } from '../src/deep-freeze.js';
import { messageOf, usageError } from '../src/errors.js';
import { isWeight } from '../src/rollout/reward.js';
import { didYouMean, nearestName } from '../src/text/nearest-name.js';
import { rewardLoaders } from './builtin/index.generated.js';
import type { RewardConfig, RewardFunction } from './reward-function.js';

/** A reward function with its entry in the configuration. */
export interface LoadedReward {
  readonly config: RewardConfig;
  readonly reward: RewardFunction;
}

/**
 * Loads the rewards of a configuration: built-ins by name, users' modules by path. Two entries of one name are told
 * apart by a number (`tests`, `tests_2`), since results are stored by name. Throws a usage error that says what to do.
 */
export async function loadRewards(configs: readonly RewardConfig[]): Promise<LoadedReward[]> {
  const names = new Map<string, number>();
  const loaded: LoadedReward[] = [];
  for (const config of configs) {
    if (!isWeight(config.weight)) {
      throw usageError(
        `The weight of the reward ${config.use} is ${config.weight}. It must be 0, or from 1e-100 to 1e100.`,
      );
    }
    const reward = await loadReward(config.use);
    const count = (names.get(reward.name) ?? 0) + 1;
    names.set(reward.name, count);
    loaded.push({
      config: deepFreeze(config),
      reward: count === 1 ? reward : renamed(reward, count),
    });
  }
  return loaded;
}

/** Whether a reward is a file of the user's. */
export function isRewardModule(use: string): boolean {
  return /[/\\]|\.[cm]?js$/.test(use);
}

async function loadReward(use: string): Promise<RewardFunction> {
  if (isRewardModule(use)) {
    return await loadModule(resolve(use));
  }
  const load = (rewardLoaders as { readonly [name: string]: () => Promise<RewardFunction> })[use];
  if (load === undefined || !Object.hasOwn(rewardLoaders, use)) {
    const names = Object.keys(rewardLoaders);
    throw usageError(
      `There is no reward named ${JSON.stringify(use)}${didYouMean(nearestName(use, names))} ` +
        `There are ${names.join(', ')}. A module of your own is given by its path, for example ./my-reward.js.`,
    );
  }
  return await load();
}

async function loadModule(path: string): Promise<RewardFunction> {
  if (!existsSync(path)) {
    throw usageError(`The reward module ${path} does not exist.`);
  }
  let module: { readonly reward?: unknown };
  try {
    module = await import(pathToFileURL(path).href);
  } catch (thrown) {
    throw usageError(`The reward module ${path} cannot be loaded: ${messageOf(thrown)}`, thrown);
  }
  const { reward } = module;
  const name = basename(path, extname(path));
  if (typeof reward === 'function') {
    return {
      name,
      description: '',
      needsSandbox: false,
      score: async (rollout, context) => await reward(rollout, context),
    };
  }
  if (typeof reward !== 'object' || reward === null || !('score' in reward)) {
    throw usageError(
      `${path} must export \`reward\`: an object with the method score(rollout, context), or a function of the two.`,
    );
  }
  if (typeof reward.score !== 'function') {
    throw usageError(`\`reward.score\` of ${path} is no function.`);
  }
  return complete(reward as Partial<RewardFunction> & Pick<RewardFunction, 'score'>, name);
}

/** Fills in what a user's module may leave out. Methods keep their own object as `this`. */
function complete(
  reward: Partial<RewardFunction> & Pick<RewardFunction, 'score'>,
  name: string,
): RewardFunction {
  return {
    name: typeof reward.name === 'string' && reward.name !== '' ? reward.name : name,
    description: reward.description ?? '',
    needsSandbox: reward.needsSandbox === true,
    ...(reward.applies === undefined
      ? {}
      : { applies: async (task) => (await reward.applies?.(task)) ?? true }),
    score: async (rollout, context) => await reward.score(rollout, context),
  };
}

function renamed(reward: RewardFunction, count: number): RewardFunction {
  return { ...complete(reward, reward.name), name: `${reward.name}_${count}` };
}

import type { RewardConfig, RewardFunction } from './reward-function.js';

/** A reward function with its entry in the configuration. */
export interface LoadedReward {
  readonly config: RewardConfig;
  readonly reward: RewardFunction;
}

export { type LoadedReward, loadRewards } from './load-rewards.js';
export type {
  RewardConfig,
  RewardContext,
  RewardFunction,
  RewardScore,
  ScoredRollout,
} from './reward-function.js';
export { type RewardSandbox, type ScoreInput, scoreAll } from './score-all.js';

/**
 * The largest reward and the largest weight, and 1 / this the smallest weight above 0: products and sums of them are
 * finite, and none vanishes.
 */
export const rewardLimit = 1e100;

/** Whether a number can be a weight: 0, or within the limits. */
export function isWeight(weight: number): boolean {
  return weight === 0 || (weight >= 1 / rewardLimit && weight <= rewardLimit);
}

/** The outcome of one reward function on one rollout. **A null value means "not scored" and is never a 0.** */
export interface RewardOutcome {
  readonly name: string;
  readonly weight: number;
  readonly state: 'scored' | 'not_applicable' | 'failed';
  /** A number from -1e100 to 1e100 when `state` is `scored`, else null. */
  readonly value: number | null;
  readonly metrics: { readonly [name: string]: number };
  readonly explanation: string | null;
  /** Why it failed; null otherwise. */
  readonly error: string | null;
  readonly seconds: number;
}

/**
 * The weighted mean of what was scored; null when nothing was, or when any reward failed: a total with a hole
 * in it would mean something else than the totals beside it.
 */
export function totalReward(outcomes: readonly RewardOutcome[]): number | null {
  if (outcomes.some((outcome) => outcome.state === 'failed')) {
    return null;
  }
  let sum = 0;
  let weights = 0;
  for (const outcome of outcomes) {
    if (outcome.value !== null) {
      sum += outcome.weight * outcome.value;
      weights += outcome.weight;
    }
  }
  return weights === 0 ? null : sum / weights;
}

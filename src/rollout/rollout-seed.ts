import { deriveSeed } from '../random.js';

/** Which rollout a seed is for. */
export interface SeedOf {
  readonly runSeed: number;
  readonly taskKey: string;
  readonly sample: number;
}

/** The seed of one rollout, as its record, its agent and its model see it. Independent of order and of attempts. */
export function rolloutSeed({ runSeed, taskKey, sample }: SeedOf): number {
  return deriveSeed(runSeed, taskKey, sample);
}

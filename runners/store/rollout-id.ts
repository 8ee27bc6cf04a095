/** How many samples of one task an id has room for. */
export const maxSamples = 2 ** 20;

/**
 * The id of a rollout: its task's row and its sample in one number, so that a rollout needs no row before it has an
 * outcome, and the rollouts of a task lie side by side in every table. Exact up to 8 billion tasks.
 */
export function rolloutIdOf(taskId: number, sample: number): number {
  return taskId * maxSamples + sample;
}

/** The two numbers that {@link rolloutIdOf} joined. */
export function splitRolloutId(rolloutId: number): {
  readonly taskId: number;
  readonly sample: number;
} {
  const sample = rolloutId % maxSamples;
  return { taskId: (rolloutId - sample) / maxSamples, sample };
}

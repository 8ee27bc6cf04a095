import type { Database } from 'better-sqlite3';
import { rolloutIdOf } from './rollout-id.js';
import type { TaskStats } from './run-reader.js';
import { walkPlan } from './walk-plan.js';

type Sums = Omit<TaskStats, 'taskKey' | 'id' | 'samples'>;

/** One line per task, in plan order. */
export function* readTaskStats(database: Database, path: string): Generator<TaskStats> {
  const sums = database.prepare<[number, number], Sums>(
    `SELECT coalesce(sum(final), 0) AS done, coalesce(sum(status = 'completed'), 0) AS completed,
       coalesce(sum(status = 'failed'), 0) AS failed, coalesce(sum(reward >= 1), 0) AS passed,
       count(reward) AS scored, avg(reward) AS meanReward, coalesce(sum(turns), 0) AS turns, total(seconds) AS seconds
     FROM outcome WHERE id >= ? AND id < ?`,
  );
  for (const [task, { samples }] of walkPlan(database, path)) {
    const row = sums.get(rolloutIdOf(task.id, 0), rolloutIdOf(task.id, samples));
    if (row !== undefined) {
      yield { taskKey: task.key, id: task.name, samples, ...row };
    }
  }
}

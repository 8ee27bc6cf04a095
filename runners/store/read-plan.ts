import type { Database } from 'better-sqlite3';

/** The part of the store that belongs to the plan, as a reader sees it. */
export interface PlanView {
  /** The newest pass, finished or not. */
  readonly pass: number;
  /** Tasks whose last pass is at least this one belong to the plan. */
  readonly completedPass: number;
  readonly samples: number;
}

export function readPlan(database: Database): PlanView {
  const plan = database
    .prepare<[], PlanView>('SELECT pass, completed_pass AS completedPass, samples FROM plan')
    .get();
  return plan ?? { pass: 0, completedPass: 0, samples: 1 };
}

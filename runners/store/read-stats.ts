import type { Database } from 'better-sqlite3';
import type { ToolStat } from '../../src/rollout/record.js';
import { type PlanView, readPlan } from './read-plan.js';
import type { RewardStats, RunStats } from './run-reader.js';
import { countsOf, type TallyEntry, tallyColumns } from './tally.js';

interface OutcomeGroup extends TallyEntry {
  readonly exit_reason: string;
  readonly error_class: string | null;
  readonly discard_reason: string | null;
  readonly scored: number;
  readonly reward: number;
  readonly turns: number;
  readonly turns_with_reasoning: number;
  readonly replayed_calls: number;
  readonly wasted_calls: number;
  readonly retries: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly seconds: number;
}

/** The statistics of a run but for those by task, from columns alone and from one snapshot. */
export function readStats(database: Database): Omit<RunStats, 'tasks'> {
  return database.transaction(() => {
    const plan = readPlan(database);
    const tasks = count(database, 'SELECT count(*) FROM task WHERE pass >= ?', plan.completedPass);
    const stored = count(database, 'SELECT count(*) FROM outcome');
    const groups = outcomeGroups(database, plan);
    const sum = (column: (group: OutcomeGroup) => number) =>
      groups.reduce((total, group) => total + column(group), 0);
    const scored = sum((group) => group.scored);
    return {
      counts: countsOf(groups, tasks, tasks * plan.samples),
      unplanned: stored - sum((group) => group.outcomes),
      byExitReason: countBy(groups, (group) => group.exit_reason),
      byErrorClass: countBy(groups, (group) => group.error_class),
      byDiscardReason: countBy(groups, (group) => group.discard_reason),
      rewards: rewardStats(database, plan),
      meanReward: scored === 0 ? null : sum((group) => group.reward) / scored,
      tools: toolStats(database, plan),
      reasoning: {
        turns: sum((group) => group.turns),
        turnsWithReasoning: sum((group) => group.turns_with_reasoning),
      },
      replayedCalls: sum((group) => group.replayed_calls),
      wastedCalls: sum((group) => group.wasted_calls),
      retries: sum((group) => group.retries),
      cachedTokens: sum((group) => group.cached_tokens),
      reasoningTokens: sum((group) => group.reasoning_tokens),
      turns: sum((group) => group.turns),
      rolloutSeconds: sum((group) => group.seconds),
    };
  })();
}

function outcomeGroups(database: Database, plan: PlanView): OutcomeGroup[] {
  return database
    .prepare<PlanView, OutcomeGroup>(
      `SELECT ${tallyColumns}, exit_reason, error_class, discard_reason, count(reward) AS scored,
         total(reward) AS reward, sum(turns) AS turns, sum(turns_with_reasoning) AS turns_with_reasoning,
         sum(replayed_calls) AS replayed_calls, sum(wasted_calls) AS wasted_calls, sum(retries) AS retries,
         sum(cached_tokens) AS cached_tokens, sum(reasoning_tokens) AS reasoning_tokens, total(seconds) AS seconds
       FROM outcome ${inPlan('outcome.id')}
       GROUP BY status, exit_reason, error_class, discard_reason`,
    )
    .all(plan);
}

function rewardStats(database: Database, plan: PlanView): RewardStats[] {
  return database
    .prepare<PlanView, RewardStats>(
      `SELECT reward.name AS name, sum(state = 'scored') AS scored, sum(state = 'not_applicable') AS notApplicable,
         sum(state = 'failed') AS failed, avg(value) AS mean
       FROM reward ${inPlan('reward.rollout_id')} GROUP BY reward.name ORDER BY min(position), reward.name`,
    )
    .all(plan);
}

function toolStats(database: Database, plan: PlanView): { [tool: string]: ToolStat } {
  const rows = database
    .prepare<PlanView, ToolStat & { readonly tool: string }>(
      `SELECT tool, sum(count) AS count, sum(success) AS success, sum(failure) AS failure
       FROM tool_stat ${inPlan('tool_stat.rollout_id')} GROUP BY tool ORDER BY tool`,
    )
    .all(plan);
  return Object.fromEntries(rows.map(({ tool, ...stat }) => [tool, stat]));
}

/** Keeps the rows of rollouts that belong to the plan. */
function inPlan(rolloutId: string): string {
  return `CROSS JOIN task ON task.id = ${rolloutId} >> 20
    WHERE task.pass >= @completedPass AND ${rolloutId} & 1048575 < @samples`;
}

function count(database: Database, sql: string, ...values: number[]): number {
  return (
    database
      .prepare<number[], number>(sql)
      .pluck()
      .get(...values) ?? 0
  );
}

function countBy(
  groups: readonly OutcomeGroup[],
  name: (group: OutcomeGroup) => string | null,
): { [name: string]: number } {
  const counts = new Map<string, number>();
  for (const group of groups) {
    const key = name(group);
    if (key !== null) {
      counts.set(key, (counts.get(key) ?? 0) + group.outcomes);
    }
  }
  return Object.fromEntries(counts);
}

import type { ExitReason, RolloutStatus } from '../../src/rollout/exit-reason.js';
import type { RolloutRecord, ToolStat } from '../../src/rollout/record.js';
import type { Task } from '../../src/rollout/task.js';
import type { JournalEntry, RunCounts } from './run-store.js';

/**
 * Reads a run, finished or running, from any process. Opened read only; sees one snapshot at a time. What it sees is
 * the plan: the last complete one, and what a pass that is under way has named since.
 */
export interface RunReader {
  readonly runId: string;
  readonly name: string;
  /**
   * Records in plan order, one at a time, from one snapshot. On a network file system a snapshot would hold up the
   * writer: there each record is complete, but later ones may be newer than earlier ones.
   */
  records(filter?: RecordFilter): AsyncIterable<RolloutRecord>;
  /** Finds one rollout by task id, task key or a unique beginning of it (4 characters at least). Throws a usage error. */
  find(task: string, sample: number): FoundRollout;
  /** From columns only; no record is opened. */
  stats(): RunStats;
  close(): void;
}

export interface RecordFilter {
  readonly statuses?: readonly RolloutStatus[];
  readonly exitReasons?: readonly ExitReason[];
  readonly minReward?: number;
  readonly taskKeys?: readonly string[];
}

export interface FoundRollout {
  readonly taskKey: string;
  readonly sample: number;
  readonly task: Task;
  readonly record: RolloutRecord | null;
  /** Replies so far, of a rollout that has no record. */
  readonly journal: readonly JournalEntry[];
}

export interface RunStats {
  readonly counts: RunCounts;
  /** Outcomes that are stored and not counted here: the plan no longer names their rows or samples. */
  readonly unplanned: number;
  readonly byExitReason: { readonly [reason: string]: number };
  readonly byErrorClass: { readonly [errorClass: string]: number };
  readonly byDiscardReason: { readonly [reason: string]: number };
  readonly rewards: readonly RewardStats[];
  /** Mean of the weighted total over scored rollouts; null when none was scored. */
  readonly meanReward: number | null;
  readonly tools: { readonly [tool: string]: ToolStat };
  readonly reasoning: { readonly turns: number; readonly turnsWithReasoning: number };
  readonly replayedCalls: number;
  readonly wastedCalls: number;
  readonly retries: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly turns: number;
  readonly rolloutSeconds: number;
  /** One line per task, in plan order: for the table at the end of a run. */
  tasks(): Iterable<TaskStats>;
}

export interface RewardStats {
  readonly name: string;
  readonly scored: number;
  readonly notApplicable: number;
  readonly failed: number;
  readonly mean: number | null;
}

export interface TaskStats {
  readonly taskKey: string;
  readonly id: string | null;
  readonly samples: number;
  readonly done: number;
  readonly completed: number;
  readonly failed: number;
  /** Samples with a reward of 1 or more, and samples with any reward. */
  readonly passed: number;
  readonly scored: number;
  readonly meanReward: number | null;
  readonly turns: number;
  readonly seconds: number;
}

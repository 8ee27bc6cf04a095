import type { MessagePort } from 'node:worker_threads';
import type { RolloutStatus } from '../../src/rollout/exit-reason.js';
import type { ToolStat } from '../../src/rollout/record.js';
import type { RewardOutcome } from '../../src/rollout/reward.js';
import type { Task } from '../../src/rollout/task.js';

/**
 * The main thread's handle on run.db. The database is open in a thread of the store's own, the only writer; every
 * method is a message to it. Rejects with a TalariaError (`store_failed`, `run_damaged`) that says what to do.
 */
export interface RunStore {
  /** Unique id of the run, made when it was created. */
  readonly runId: string;
  /** True when the run existed before. */
  readonly resumed: boolean;
  /** Sentences for the user: for example that the directory is on a network file system. */
  readonly warnings: readonly string[];

  /** Fingerprint and sample count of the last complete plan; null when there is none or it has no fingerprint. */
  planned(): Promise<{ readonly fingerprint: string; readonly samples: number } | null>;
  /**
   * Starts a pass over the data set: tasks that this pass does not name are left out of the schedule until a later pass
   * names them, and what they left stays stored. Not after `next` has handed out rollouts.
   */
  beginPlan(): Promise<void>;
  /**
   * Adds or confirms tasks, in order. A task that this pass named before is merged with it. `samples` is the same
   * throughout a pass, at most 2^20.
   */
  plan(tasks: readonly PlannedTask[], samples: number): Promise<PlanStep>;
  /** Ends the pass. */
  endPlan(fingerprint: string | null, samples: number): Promise<void>;

  /**
   * Hands out up to `count` rollouts that are not done, in plan order, each once per start of the run: those without an
   * outcome, cancelled ones, and retryable failures of earlier starts. Empty: none left for now.
   */
  next(count: number): Promise<readonly PendingRollout[]>;
  /**
   * Takes a rollout back from a dead worker and hands it out anew, as the same attempt; null when its outcome had been
   * stored. What the worker sent before it died is stored first.
   */
  reclaim(rolloutId: number): Promise<PendingRollout | null>;
  /** Hands out a rollout whose attempt failed once more. The attempt is counted. */
  retry(rolloutId: number): Promise<PendingRollout>;
  /**
   * Stores a final failure (`environment_error`) that has no record: a rollout that killed its worker. Its replies stay
   * in the journal for a look. Does nothing when a final outcome is there.
   */
  fail(
    rolloutId: number,
    error: { readonly class: string; readonly message: string },
  ): Promise<void>;

  /** Lets a later start try again what failed for good in this one, with this class. */
  reopen(errorClass: string): Promise<void>;

  counts(): Promise<RunCounts>;
  /** Over all starts. Reads the whole journal: for the beginning of a start. */
  spent(): Promise<Spent>;
  /** A channel for one worker: pass it to {@link connectStore} there. */
  connect(): MessagePort;
  /** Flushes, closes the database, releases the lock. */
  close(): Promise<void>;
}

export interface PlannedTask {
  readonly key: string;
  readonly task: Task;
  /** The JSON text of its prompt, for who has it at hand. */
  readonly promptJson?: string;
}

export interface PlanStep {
  /** Tasks that the run did not know. */
  readonly added: number;
  /** Rows that were merged with an earlier row of this pass. */
  readonly merged: number;
}

export interface PendingRollout extends RolloutHandle {
  /** As {@link encodeTask} wrote it. */
  readonly task: string;
}

/** A rollout that was handed out, without its task: what its holder keeps while it runs. */
export interface RolloutHandle {
  readonly rolloutId: number;
  readonly taskKey: string;
  readonly sample: number;
  /** 1-based, counted over all starts of the run. */
  readonly attempt: number;
  /** Proves that the holder is the current one; an outcome with an old lease is refused. */
  readonly lease: number;
  /** Whether the turn journal holds replies of an earlier attempt. */
  readonly journaled: boolean;
  /** Model calls of earlier attempts that were paid in vain: see {@link LaneStore.clearJournal}. */
  readonly wastedCalls: number;
}

/** What a run has cost, apart from the calls that are under way. */
export interface Spent {
  /** By outcomes that have no replies in the journal. */
  readonly outcomesUsd: number;
  /** Of all other paid calls: their price is not known to the store. */
  readonly usage: {
    readonly prompt_tokens: number;
    readonly cached_tokens: number;
    readonly completion_tokens: number;
  };
}

/** How many rollouts of the current plan are in which state. */
export interface RunCounts {
  readonly tasks: number;
  readonly rollouts: number;
  /** Without a final outcome. */
  readonly pending: number;
  readonly byStatus: { readonly [status in RolloutStatus]: number };
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly modelCalls: number;
  readonly costUsd: number | null;
}

/** A worker's own channel to the store. Every method resolves when the database has it. */
export interface LaneStore {
  journal(rolloutId: number): Promise<readonly JournalEntry[]>;
  /**
   * Must be on disk before the reply is acted upon. `stale`: the rollout now belongs to another holder. An entry with a
   * number that was there takes its place and removes those after it.
   */
  append(rolloutId: number, lease: number, entry: JournalEntry): Promise<'stored' | 'stale'>;
  /** Forgets the replies of an attempt that could not be repeated, and counts them as waste. */
  clearJournal(rolloutId: number, lease: number): Promise<void>;
  /** Outcome, record and the end of the journal in one transaction. */
  commit(outcome: Outcome): Promise<'stored' | 'stale'>;
  close(): void;
}

/** One stored model reply. */
export interface JournalEntry {
  /** 0-based number of the model call. */
  readonly sequence: number;
  /** Hash of what the model was asked since the previous reply: a replay must come to the same. */
  readonly requestHash: string;
  /** The reply as JSON text. */
  readonly reply: string;
}

/** Typed columns by which `stats` counts, and the encoded record. */
export interface Outcome {
  readonly rolloutId: number;
  readonly lease: number;
  readonly attempt: number;
  readonly status: RolloutStatus;
  readonly exitReason: string;
  readonly errorClass: string | null;
  readonly errorMessage: string | null;
  /** Whether a later start may try it again; keeps the journal. */
  readonly retryable: boolean;
  readonly discardReason: string | null;
  readonly reward: number | null;
  readonly rewards: readonly RewardOutcome[];
  readonly turns: number;
  readonly turnsWithReasoning: number;
  readonly modelCalls: number;
  readonly replayedCalls: number;
  readonly wastedCalls: number;
  readonly retries: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly costUsd: number | null;
  readonly seconds: number;
  readonly toolStats: { readonly [tool: string]: ToolStat };
  /** The record as gzip of UTF-8 JSON; transferred, not copied. */
  readonly record: Uint8Array;
}

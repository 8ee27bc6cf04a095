import type { Json, JsonObject } from '../json.js';
import type { Message } from '../messages/message.js';
import type { ReplyTokens } from '../models/model.js';
import type { VerifyMode } from '../sandbox/sandbox.js';
import type { ToolSchema } from '../tools/tool.js';
import type { ExitReason, RolloutStatus } from './exit-reason.js';
import type { RewardOutcome } from './reward.js';

/**
 * Everything that one rollout left. The one stored truth: every export is a pure function of it.
 * It is a file format, so its fields have the names of the file; seconds end in `_s`.
 */
export interface RolloutRecord {
  readonly schema: 'talaria/record/1';
  readonly run: string;
  readonly environment: string;
  readonly task_key: string;
  /** 0-based sample number within the task. */
  readonly sample: number;
  /** 1-based attempt that left this record. */
  readonly attempt: number;
  /** Seed of this rollout, derived from the run's seed, the task key and the sample. */
  readonly seed: number;
  readonly task: RecordedTask;

  readonly status: RolloutStatus;
  /** How the rollout ended; also for a discarded one. */
  readonly exit_reason: ExitReason;
  /** What failed, when the status is `failed`, else null. */
  readonly error: RecordedError | null;
  /** Why a policy discarded it, else null. */
  readonly discard_reason: string | null;

  /** `provider:model` as configured. Each assistant message names the model that answered. */
  readonly model: string;
  readonly toolsets: readonly string[];
  /** Toolsets that were sampled but do not exist in this build. */
  readonly toolsets_skipped: readonly string[];
  /** The tools exactly as they were offered. */
  readonly tools: readonly ToolSchema[];
  readonly system_prompt: string;
  readonly messages: readonly Message[];

  readonly rewards: readonly RewardOutcome[];
  /** Weighted total, or null for "not scored". */
  readonly reward: number | null;
  /** How it was verified, or null when nothing was. */
  readonly verify: VerifyMode | null;
  /** Findings of policies and checks, for example `{"no_reasoning": true}`. */
  readonly annotations: JsonObject;

  /** Assistant turns. */
  readonly turns: number;
  readonly usage: RecordedUsage;
  /** US dollars, or null when no price is known. */
  readonly cost_usd: number | null;
  readonly timings: RecordedTimings;
  /** Calls and successes by tool name, by what dispatch said and not by reading the text. */
  readonly tool_stats: { readonly [tool: string]: ToolStat };
  /** Token ids by assistant turn, where they were recorded; else null. */
  readonly tokens: RecordedTokens | null;
  readonly sandbox: { readonly kind: string; readonly image: string | null } | null;
  readonly versions: { readonly [name: string]: string };
}

/** The part of a task that belongs to the output. */
export interface RecordedTask {
  readonly id: string | null;
  readonly prompt: string;
  readonly image: string | null;
  readonly cwd: string | null;
  readonly tags: readonly string[];
  readonly answer: Json;
  readonly metadata: JsonObject;
}

export interface RecordedError {
  /** A model failure class, or `sandbox_unavailable`, `environment_error`, `worker_crash`, `internal`. */
  readonly class: string;
  readonly message: string;
  readonly retryable: boolean;
}

export interface RecordedUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  /** Model calls that this rollout's final attempt rests on. */
  readonly model_calls: number;
  /** Of those, how many came from the journal of an earlier start. */
  readonly replayed_calls: number;
  /** Calls whose replies were paid and thrown away: the replay of an earlier start differed. */
  readonly wasted_calls: number;
  /** Failed attempts that were repeated. */
  readonly retries: number;
  readonly source: 'server' | 'estimate' | 'mixed' | 'none';
}

export interface RecordedTimings {
  /** ISO 8601, UTC. */
  readonly started_at: string;
  readonly ended_at: string;
  readonly total_s: number;
  readonly setup_s: number;
  readonly model_s: number;
  readonly tools_s: number;
  readonly rewards_s: number;
}

export interface ToolStat {
  readonly count: number;
  readonly success: number;
  readonly failure: number;
}

export interface RecordedTokens {
  readonly source: 'engine' | 'retokenised';
  /** One entry per assistant message, in order; null where the engine gave none. */
  readonly turns: readonly (ReplyTokens | null)[];
}

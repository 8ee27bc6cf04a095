import type { Clock } from '../clock.js';
import type { Message } from '../messages/message.js';
import type { Model, ModelFailure, ReplyTokens, Usage } from '../models/model.js';
import type { EmitEvent } from '../rollout/event.js';
import type { ExitReason } from '../rollout/exit-reason.js';
import type { ToolStat } from '../rollout/record.js';
import type { SandboxSession } from '../sandbox/sandbox.js';
import type { ToolBatch, ToolBatchResult } from '../tools/execute-tool-calls.js';
import type { Tool, ToolSchema } from '../tools/tool.js';

/** Limits and habits of the loop. `agent:` of the configuration, resolved. */
export interface AgentConfig {
  /** Model calls at most; one budget unit is one model call. */
  readonly maxTurns: number;
  /** The user's system prompt, or null for the built-in one. */
  readonly systemPrompt: string | null;
  /** Working time of the agent; waiting for permits excluded. */
  readonly deadlineMs: number;
  /** Hard limit of a rollout, enforced by the main thread. */
  readonly maxWallMs: number;
  readonly maxTotalTokens: number | null;
  /** `summarize`: one more call, without tools, flagged as a summary. */
  readonly onBudget: 'stop' | 'summarize';
  /** Calls of the same tool with the same arguments and result, in a row, before the loop stops. */
  readonly maxRepeatedCalls: number;
  /** Turns in a row whose calls were all invalid, before the loop stops. */
  readonly maxInvalidTurns: number;
  /** Deadline of one tool call. */
  readonly toolTimeoutMs: number;
  /** Code points of one tool result that the model may see; the tools' own caps act before. */
  readonly maxResultChars: number;
}

/** Everything that one agent needs. A fresh one for each rollout. */
export interface AgentInput {
  readonly config: AgentConfig;
  readonly model: Model;
  readonly systemPrompt: string;
  readonly prompt: string;
  readonly tools: readonly Tool[];
  /** The same tools as the model is told of them; converted once per run and shared. */
  readonly toolSchemas: readonly ToolSchema[];
  /** Null when no tool needs one. */
  readonly sandbox: SandboxSession | null;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: EmitEvent;
}

/**
 * Runs the tool calls of one assistant message. Never rejects, and resolves soon after its context's signal aborts:
 * what had not ended is then answered as cancelled.
 */
export type ExecuteToolCalls = (batch: ToolBatch) => Promise<ToolBatchResult>;

/** What the loop left. Always a well-formed conversation: each call answered exactly once, roles alternating. */
export interface AgentOutcome {
  readonly messages: readonly Message[];
  readonly exitReason: ExitReason;
  /** Set when the exit reason is `model_error` or `context_overflow`. */
  readonly modelFailure: ModelFailure | null;
  /** Set when the exit reason is `sandbox_unavailable` or `environment_error`. */
  readonly error: string | null;
  readonly turns: number;
  readonly modelCalls: number;
  readonly replayedCalls: number;
  readonly retries: number;
  readonly usage: Usage;
  readonly modelSeconds: number;
  readonly toolSeconds: number;
  readonly toolStats: { readonly [tool: string]: ToolStat };
  /** One entry per assistant message; null where the engine gave no tokens. */
  readonly tokens: readonly (ReplyTokens | null)[];
}

import type { FinishReason, Message } from '../messages/message.js';
import type { ToolSchema } from '../tools/tool.js';

/**
 * A language model as the agent sees it: one per rollout. Never throws and never rejects: a failure is a
 * value, and an aborted call resolves to a failure of class `cancelled`.
 */
export interface Model {
  /** `provider:model`, for example `openai:my-model`. */
  readonly name: string;
  /** Tools that it calls whatever was sampled; they are added to the offer. */
  readonly requiredTools?: readonly string[];
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelResult>;
  /**
   * Milliseconds of the calls so far that are no working time: failed attempts, the waits between attempts, and the
   * attempt that is open, which becomes working time when it succeeds. Absent: none.
   */
  waitedMs?(): number;
}

export interface ModelRequest {
  /** The conversation so far, the system message first. Read only; the array may grow after the call. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Seed for the sampler, where the server takes one. */
  readonly seed?: number;
}

export type ModelResult =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface ModelReply {
  readonly content: string;
  readonly reasoning: string | null;
  readonly tool_calls: readonly ModelToolCall[];
  readonly finish_reason: FinishReason;
  readonly usage: Usage;
  /** The model that really answered, as the server names it. */
  readonly model: string;
  readonly provider_state?: unknown;
  /** Token ids and log probabilities, where the engine gives them. */
  readonly tokens?: ReplyTokens;
  /** Wall seconds of the whole call, retries and waits included. */
  readonly seconds: number;
  /** Attempts before the one that succeeded. */
  readonly retries: number;
  /** True when this reply came from the turn journal and nothing was paid for it now. */
  readonly replayed?: boolean;
}

/** A tool call in a reply. The id is null when the server gave none; the agent then makes one. */
export interface ModelToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: string;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  /** `server`: the server counted. `estimate`: it gave no usage. */
  readonly source: 'server' | 'estimate';
}

export interface ReplyTokens {
  readonly prompt_ids: readonly number[];
  readonly completion_ids: readonly number[];
  readonly completion_logprobs: readonly number[];
}

/** Why a call failed, by what the caller can do about it. */
export type ModelFailureClass =
  | 'rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'connection'
  | 'auth'
  | 'billing'
  | 'model_not_found'
  | 'context_overflow'
  /** More bytes than the server or a proxy before it takes (413). */
  | 'payload_too_large'
  | 'content_policy'
  | 'bad_request'
  | 'malformed'
  | 'replay_exhausted'
  | 'replay_diverged'
  | 'cancelled'
  | 'unknown';

export interface ModelFailure {
  readonly class: ModelFailureClass;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** One line, without keys. */
  readonly message: string;
  readonly status?: number;
  /** What the server asked for, in milliseconds. */
  readonly retry_after_ms?: number;
  /** Attempts made, this one included. */
  readonly attempts: number;
  /** With `cancelled`: how the attempt before failed, if one did. */
  readonly last?: Pick<ModelFailure, 'class' | 'message'>;
}

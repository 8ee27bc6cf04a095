import type { AbortLike } from '../lazy-abort.js';
import type { FinishReason } from '../messages/message.js';
import type { ModelFailureClass, ModelResult, ModelToolCall } from './model.js';

/** What an offline model says in one turn. */
export interface OfflineTurn {
  readonly content?: string;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly ModelToolCall[];
  /** @default 'tool_calls' with calls, else 'stop' */
  readonly finish_reason?: FinishReason;
}

/** A reply that cost nothing; a failure of class `cancelled` when the call was aborted. */
export function offlineReply(model: string, turn: OfflineTurn, signal: AbortLike): ModelResult {
  if (signal.aborted) {
    return offlineFailure('cancelled', 'the call was cancelled');
  }
  const calls = turn.tool_calls ?? [];
  return {
    ok: true,
    reply: {
      content: (turn.content ?? '').toWellFormed(),
      reasoning: turn.reasoning?.toWellFormed() ?? null,
      tool_calls: calls,
      finish_reason: turn.finish_reason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
      usage: {
        prompt_tokens: 0,
        completion_tokens: 0,
        cached_tokens: 0,
        reasoning_tokens: 0,
        source: 'server',
      },
      model,
      seconds: 0,
      retries: 0,
    },
  };
}

/** A failure that no retry can help. */
export function offlineFailure(failure: ModelFailureClass, message: string): ModelResult {
  return { ok: false, failure: { class: failure, retryable: false, message, attempts: 1 } };
}

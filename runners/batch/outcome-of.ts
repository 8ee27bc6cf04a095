import type { RolloutRecord } from '../../src/rollout/record.js';
import type { Outcome, RolloutHandle } from '../store/run-store.js';
import { isMendable } from './is-mendable.js';

/** The typed columns of a record, beside its encoded bytes. */
export function outcomeOf(
  pending: RolloutHandle,
  record: RolloutRecord,
  encoded: Uint8Array,
): Outcome {
  const { usage } = record;
  return {
    rolloutId: pending.rolloutId,
    lease: pending.lease,
    attempt: pending.attempt,
    status: record.status,
    exitReason: record.exit_reason,
    errorClass: record.error?.class ?? null,
    errorMessage: record.error?.message ?? null,
    retryable: record.error !== null && (record.error.retryable || isMendable(record.error.class)),
    discardReason: record.discard_reason,
    reward: record.reward,
    rewards: record.rewards,
    turns: record.turns,
    turnsWithReasoning: record.messages.filter(
      (message) => message.role === 'assistant' && (message.reasoning ?? '').trim() !== '',
    ).length,
    modelCalls: usage.model_calls,
    replayedCalls: usage.replayed_calls,
    wastedCalls: usage.wasted_calls,
    retries: usage.retries,
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.cached_tokens,
    reasoningTokens: usage.reasoning_tokens,
    costUsd: record.cost_usd,
    seconds: record.timings.total_s,
    toolStats: record.tool_stats,
    record: encoded,
  };
}

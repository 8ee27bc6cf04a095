import type { RunStats } from '../store/run-reader.js';

/** `talaria stats --json`: one object with names in snake_case. Null is "unknown" or "not scored", never 0. */
export function statsJson(name: string, runId: string, stats: RunStats) {
  const { counts } = stats;
  return {
    name,
    run_id: runId,
    tasks: counts.tasks,
    rollouts: counts.rollouts,
    pending: counts.pending,
    unplanned: stats.unplanned,
    by_status: counts.byStatus,
    by_exit_reason: stats.byExitReason,
    by_error_class: stats.byErrorClass,
    by_discard_reason: stats.byDiscardReason,
    rewards: stats.rewards.map((reward) => ({
      name: reward.name,
      mean: reward.mean,
      scored: reward.scored,
      not_applicable: reward.notApplicable,
      failed: reward.failed,
    })),
    mean_reward: stats.meanReward,
    tools: stats.tools,
    reasoning: {
      turns: stats.reasoning.turns,
      turns_with_reasoning: stats.reasoning.turnsWithReasoning,
    },
    turns: stats.turns,
    model_calls: counts.modelCalls,
    replayed_calls: stats.replayedCalls,
    wasted_calls: stats.wastedCalls,
    retries: stats.retries,
    prompt_tokens: counts.promptTokens,
    completion_tokens: counts.completionTokens,
    cached_tokens: stats.cachedTokens,
    reasoning_tokens: stats.reasoningTokens,
    cost_usd: counts.costUsd,
    rollout_seconds: stats.rolloutSeconds,
  };
}

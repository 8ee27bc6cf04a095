/** Every way in which a rollout can end, and the status that follows from it. The set is closed. */
export const statusOfExit = {
  finished: 'completed',
  turn_budget: 'truncated',
  token_budget: 'truncated',
  cost_budget: 'truncated',
  deadline: 'truncated',
  context_overflow: 'truncated',
  tool_loop: 'truncated',
  invalid_tool_calls: 'truncated',
  model_error: 'failed',
  sandbox_unavailable: 'failed',
  environment_error: 'failed',
  cancelled: 'cancelled',
} as const;

export type ExitReason = keyof typeof statusOfExit;

/** `discarded` is set by a policy (with a reason) and never by the way a rollout ended. Rewards never change a status. */
export type RolloutStatus = (typeof statusOfExit)[ExitReason] | 'discarded';

import type { ModelFailure } from '../models/model.js';
import type { ExitReason } from '../rollout/exit-reason.js';

/** How the loop ended, with what belongs to the reason. */
export interface AgentExit {
  readonly reason: ExitReason;
  /** With `model_error` and `context_overflow`. */
  readonly failure?: ModelFailure;
  /** With `sandbox_unavailable` and `environment_error`. */
  readonly error?: string;
}

/** The exit that a failure of the model leads to. */
export function exitOfFailure(failure: ModelFailure): AgentExit {
  const overflow = failure.class === 'context_overflow';
  return { reason: overflow ? 'context_overflow' : 'model_error', failure };
}

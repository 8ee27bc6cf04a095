import type { ModelFailure } from '../models/model.js';
import type { ExitReason } from '../rollout/exit-reason.js';
import type { LostToModel } from './agent-stop.js';

/** How the loop ended, with what belongs to the reason. */
export interface AgentExit {
  readonly reason: ExitReason;
  /** With `model_error` and `context_overflow`. */
  readonly failure?: ModelFailure;
  /** With `sandbox_unavailable` and `environment_error`. */
  readonly error?: string;
}

/**
 * The exit that a failure of the model leads to. A request that is too large is an overflow once the conversation has
 * `grown` to it; the first request is as the task and the tools make it, and its refusal says nothing of the agent.
 */
export function exitOfFailure(failure: ModelFailure, { grown = true } = {}): AgentExit {
  const overflow =
    failure.class === 'context_overflow' || (failure.class === 'payload_too_large' && grown);
  return { reason: overflow ? 'context_overflow' : 'model_error', failure };
}

/**
 * The same exit, unless the wall limit came since the model server did not answer: that is a failure of the server, which
 * a later attempt may get past, and says nothing of the agent.
 */
export function exitUnlessOutage(
  exit: AgentExit,
  lost: LostToModel | null,
  { failing }: { readonly failing: ModelFailure['last'] },
): AgentExit {
  if (exit.reason !== 'deadline' || lost === null || !(lost.most || failing !== undefined)) {
    return exit;
  }
  const [lostS, elapsedS] = [lost.lostMs, lost.elapsedMs].map((ms) => Math.round(ms / 100) / 10);
  const last = failing === undefined ? '' : `, last: ${failing.message}`;
  const message =
    `The wall limit (agent.max_wall_s) came while ${lostS} s of ${elapsedS} s had gone to requests ` +
    `without an answer and to waits between them${last}`;
  return exitOfFailure({
    class: failing?.class ?? 'timeout',
    retryable: true,
    message,
    attempts: 1,
  });
}

/** Why a rollout was interrupted from outside. */
export type Interruption = 'deadline' | 'cancelled';

/**
 * Reads the reason of an aborted rollout signal: `deadline` is the wall limit, which is final; anything else is a
 * cancellation, after which the rollout runs again later.
 */
export function interruptionOf(signal: AbortSignal): Interruption {
  return signal.reason === 'deadline' ? 'deadline' : 'cancelled';
}

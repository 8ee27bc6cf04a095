import type { PendingRollout } from '../../runners/store/run-store.js';

/** A rollout as the store hands it out. */
export function pendingRollout(rolloutId: number, attempt = 1): PendingRollout {
  return {
    rolloutId,
    taskKey: `key-${rolloutId}`,
    sample: 0,
    attempt,
    lease: attempt,
    task: '{}',
    journaled: false,
    wastedCalls: 0,
  };
}

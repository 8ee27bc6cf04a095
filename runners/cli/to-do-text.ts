import type { RunCounts } from '../store/run-store.js';

/**
 * `12 to do`, `12 to do (8 of them again)`: cancelled rollouts, and failures that may be tried again, have an outcome and
 * are to do all the same.
 */
export function toDoText({ rollouts, pending, byStatus }: RunCounts): string {
  const outcomes = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  const again = outcomes - (rollouts - pending);
  return `${pending} to do${again > 0 ? ` (${again} of them again)` : ''}`;
}

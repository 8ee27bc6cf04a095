import type { Clock } from '../clock.js';
import { messageOf } from '../errors.js';
import { withinLimit } from './within-limit.js';

/**
 * Closes something that may hang or fail, and waits no longer than the limit. Never rejects; returns what went wrong, or
 * null. Not bound to any signal: what was cancelled must be cleaned up all the more.
 */
export async function closeWithin(
  resource: { close(): Promise<void> },
  clock: Clock,
  timeoutMs: number,
): Promise<string | null> {
  try {
    const never = new AbortController().signal;
    const closed = await withinLimit(() => resource.close(), { clock, signal: never, timeoutMs });
    return closed.state === 'done' ? null : `not closed within ${timeoutMs / 1000} s`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

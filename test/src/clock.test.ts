import { expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';

it('a wait of more than 24 days does not end at once', async () => {
  const ended = vi.fn();
  const stop = systemClock.after(3_000_000_000, ended);
  const abort = new AbortController();
  const slept = systemClock.sleep(Number.POSITIVE_INFINITY, abort.signal).then(ended);
  // The timers of a delay that does not fit would fire before this one.
  await systemClock.sleep(20);
  expect(ended).not.toHaveBeenCalled();
  stop();
  abort.abort();
  await slept;
});

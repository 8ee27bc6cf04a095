import { expect, it } from 'vitest';
import { StuckWatch, watchEveryMs } from '../../../runners/batch/stuck-watch.js';

const silent = { ready: true, silentMs: 61_000 };
const alive = { ready: true, silentMs: 1_000 };
const starting = { ready: false, silentMs: 61_000 };

it('finds workers that have been silent for a minute, once they were ready', () => {
  let now = 0;
  const watch = new StuckWatch(() => now);
  now += watchEveryMs;
  expect(watch.stuck([silent, alive, starting])).toEqual([silent]);
});

it('finds none when the process itself was stopped, and those that stay silent at the next look', () => {
  let now = 0;
  const watch = new StuckWatch(() => now);
  now += 10 * 60_000;
  expect(watch.stuck([silent])).toEqual([]);
  now += watchEveryMs;
  expect(watch.stuck([silent, alive])).toEqual([silent]);
});

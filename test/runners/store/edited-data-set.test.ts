import { expect, test } from 'vitest';
import { openRunReader } from '../../../runners/store/open-run-reader.js';
import type { RunStore } from '../../../runners/store/run-store.js';
import {
  names,
  openLane,
  openRun,
  outcomeOf,
  planPrompts,
  temporaryDirectory,
} from './run-fixture.js';

/** Runs everything that is pending to its end. */
async function finishAll(store: RunStore): Promise<string[]> {
  const lane = openLane(store);
  const rollouts = await store.next(1000);
  await Promise.all(rollouts.map((rollout) => lane.commit(outcomeOf(rollout, { costUsd: 0.5 }))));
  return names(rollouts);
}

async function recordsOf(directory: string): Promise<string[]> {
  const reader = openRunReader(directory);
  const found: string[] = [];
  for await (const record of reader.records()) {
    found.push(`${record.task.prompt}#${record.sample}`);
  }
  reader.close();
  return found;
}

test('rows may be put in another order: nothing runs again and exports follow the new order', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a', 'b', 'c']);
  await finishAll(first);
  await first.close();

  const second = await openRun(directory, { resume: true });
  expect(await planPrompts(second, ['c', 'a', 'b'])).toEqual({ added: 0, merged: 0 });
  expect(await second.next(10)).toEqual([]);
  expect(await second.counts()).toMatchObject({ tasks: 3, pending: 0, costUsd: 1.5 });
  await second.close();
  expect(await recordsOf(directory)).toEqual(['c#0', 'a#0', 'b#0']);
});

test('only inserted rows run', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a', 'b']);
  await finishAll(first);
  await first.close();

  const second = await openRun(directory, { resume: true });
  expect(await planPrompts(second, ['new', 'a', 'newer', 'b'])).toEqual({ added: 2, merged: 0 });
  expect(await finishAll(second)).toEqual(['new#0', 'newer#0']);
  await second.close();
  expect(await recordsOf(directory)).toEqual(['new#0', 'a#0', 'newer#0', 'b#0']);
});

test('removed rows leave the schedule, the counts and the exports, and come back with their work', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a', 'b', 'open']);
  const lane = openLane(first);
  const [a, b] = await first.next(2);
  if (!a || !b) {
    throw new Error('Expected two rollouts.');
  }
  await lane.commit(outcomeOf(a));
  await lane.commit(outcomeOf(b));
  await first.close();

  const second = await openRun(directory, { resume: true });
  await planPrompts(second, ['b']);
  expect(await second.next(10)).toEqual([]);
  expect(await second.counts()).toMatchObject({ tasks: 1, rollouts: 1, pending: 0, modelCalls: 2 });
  await second.close();
  expect(await recordsOf(directory)).toEqual(['b#0']);
  const reader = openRunReader(directory);
  expect(reader.stats()).toMatchObject({ unplanned: 1, counts: { tasks: 1 } });
  expect(reader.find(a.taskKey, 0).record, 'it can still be looked at').not.toBeNull();
  reader.close();

  const third = await openRun(directory, { resume: true });
  await planPrompts(third, ['open', 'b', 'a']);
  expect(names(await third.next(10))).toEqual(['open#0']);
  expect(await third.counts()).toMatchObject({ tasks: 3, pending: 1, byStatus: { completed: 2 } });
});

test('repeated rows are one task and are counted, in each pass anew', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  expect(await planPrompts(first, ['a', 'b', 'a', 'a'])).toEqual({ added: 2, merged: 2 });
  expect(names(await first.next(10))).toEqual(['a#0', 'b#0']);
  await first.close();
  const second = await openRun(directory, { resume: true });
  expect(await planPrompts(second, ['a', 'b', 'a'])).toEqual({ added: 0, merged: 1 });
  expect(await second.counts()).toMatchObject({ tasks: 2, rollouts: 2 });
});

test('more samples run only what is missing, and fewer leave the others alone', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a', 'b'], 1);
  await finishAll(first);
  await first.close();

  const second = await openRun(directory, { resume: true });
  await planPrompts(second, ['a', 'b'], 3);
  expect(await second.counts()).toMatchObject({ rollouts: 6, pending: 4 });
  expect(await finishAll(second)).toEqual(['a#1', 'a#2', 'b#1', 'b#2']);
  await second.close();

  const third = await openRun(directory, { resume: true });
  await planPrompts(third, ['a', 'b'], 2);
  expect(await third.next(10)).toEqual([]);
  expect(await third.counts()).toMatchObject({
    rollouts: 4,
    pending: 0,
    byStatus: { completed: 4 },
  });
  await third.close();
  expect(await recordsOf(directory)).toEqual(['a#0', 'a#1', 'b#0', 'b#1']);
});

test('a pass that was broken off loses nothing from the exports', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a', 'b', 'c']);
  await finishAll(first);
  await first.close();

  const second = await openRun(directory, { resume: true });
  await second.beginPlan();
  await second.close();
  expect(await recordsOf(directory)).toEqual(['a#0', 'b#0', 'c#0']);
  const third = await openRun(directory, { resume: true });
  expect(await third.planned()).toBeNull();
});

test('the counts are those that the rows add up to, whatever happened before', async () => {
  const directory = temporaryDirectory();
  const data = [
    ['a', 'b', 'c', 'd'],
    ['d', 'x', 'b'],
    ['x', 'a', 'b', 'c', 'd', 'y'],
  ];
  for (const [round, prompts] of data.entries()) {
    const store = await openRun(directory, { resume: true });
    await planPrompts(store, prompts, 2 + round);
    const lane = openLane(store);
    for (const [index, rollout] of (await store.next(100)).entries()) {
      const status = (['completed', 'truncated', 'failed', 'cancelled', 'discarded'] as const)[
        (index + round) % 5
      ];
      const retryable = index % 2 === 0;
      const costUsd = index % 3 === 0 ? null : 0.25;
      await lane.commit(outcomeOf(rollout, { status: status ?? 'completed', retryable, costUsd }));
      if (status === 'failed' && retryable) {
        await lane.commit(outcomeOf(await store.retry(rollout.rolloutId)));
      }
    }
    const counts = await store.counts();
    const reader = openRunReader(directory);
    expect(counts).toEqual(reader.stats().counts);
    reader.close();
    await store.close();
  }
});

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import {
  names,
  openLane,
  openRun,
  outcomeOf,
  planPrompts,
  promptTask,
  refusal,
  retryableFailure,
  temporaryDirectory,
} from './run-fixture.js';

test('hands out every sample of every task once, in plan order', async () => {
  const store = await openRun(temporaryDirectory());
  await planPrompts(store, ['b', 'a', 'c'], 2);

  expect(names(await store.next(1))).toEqual(['b#0']);
  expect(names(await store.next(2))).toEqual(['b#1', 'a#0']);
  expect(names(await store.next(100))).toEqual(['a#1', 'c#0', 'c#1']);
  expect(await store.next(100)).toEqual([]);
});

test('hands out what is planned so far while the data set is still being read', async () => {
  const store = await openRun(temporaryDirectory());
  await store.beginPlan();
  expect(await store.next(10)).toEqual([]);
  await store.plan([promptTask('a')], 2);
  expect(names(await store.next(1))).toEqual(['a#0']);
  await store.plan([promptTask('b')], 2);
  expect(names(await store.next(10))).toEqual(['a#1', 'b#0', 'b#1']);
  await store.endPlan('print', 2);
  expect(await store.planned()).toEqual({ fingerprint: 'print', samples: 2 });
});

test('a resume hands out what is missing, cancelled or may be tried again, and nothing else', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, [
    'done',
    'cut',
    'dropped',
    'lost',
    'failed',
    'busy',
    'stopped',
    'never',
  ]);
  const lane = openLane(first);
  const rollouts = await first.next(7);
  const [done, cut, dropped, lost, failed, busy, stopped] = rollouts;
  if (!done || !cut || !dropped || !lost || !failed || !busy || !stopped) {
    throw new Error('Expected seven rollouts.');
  }
  await lane.commit(outcomeOf(done));
  await lane.commit(outcomeOf(cut, { status: 'truncated', exitReason: 'deadline' }));
  await lane.commit(outcomeOf(dropped, { status: 'discarded', discardReason: 'no_reasoning' }));
  await lane.commit(retryableFailure(failed, { retryable: false, errorClass: 'auth' }));
  await lane.commit(retryableFailure(busy));
  await lane.commit(outcomeOf(stopped, { status: 'cancelled', exitReason: 'cancelled' }));
  expect(await first.next(10)).toMatchObject([{ attempt: 1 }]);
  expect(await first.next(10), 'a failure of this start comes back only by retry').toEqual([]);
  await first.close();

  const second = await openRun(directory, { resume: true });
  const again = await second.next(100);
  expect(names(again)).toEqual(['lost#0', 'busy#0', 'stopped#0', 'never#0']);
  expect(again.map((rollout) => rollout.attempt)).toEqual([1, 2, 2, 1]);
  expect(second.resumed).toBe(true);
});

test('a finished run has nothing to hand out', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a', 'b'], 3);
  const lane = openLane(first);
  await Promise.all((await first.next(6)).map((rollout) => lane.commit(outcomeOf(rollout))));
  expect(await first.counts()).toMatchObject({ tasks: 2, rollouts: 6, pending: 0 });
  await first.close();
  const database = new Database(join(directory, 'run.db'), { readonly: true });
  const open = database.prepare<[], number>('SELECT count(*) FROM task WHERE open = 1').pluck();
  expect(open.get(), 'a start looks at open tasks alone, so finished ones must cost nothing').toBe(
    0,
  );
  database.close();

  const second = await openRun(directory, { resume: true });
  expect(await second.next(10)).toEqual([]);
  await planPrompts(second, ['a', 'b'], 3);
  expect(await second.next(10)).toEqual([]);
});

test('a retry counts the attempt, and a worker that died does not', async () => {
  const store = await openRun(temporaryDirectory());
  await planPrompts(store, ['a']);
  const lane = openLane(store);
  const [rollout] = await store.next(1);
  if (!rollout) {
    throw new Error('Expected a rollout.');
  }
  const reclaimed = await store.reclaim(rollout.rolloutId);
  expect(reclaimed).toMatchObject({ attempt: 1, taskKey: rollout.taskKey });
  if (!reclaimed) {
    throw new Error('Expected it back.');
  }
  await lane.commit(retryableFailure(reclaimed));
  const second = await store.retry(rollout.rolloutId);
  expect(second.attempt).toBe(2);
  const third = await store.retry(rollout.rolloutId);
  expect(third.attempt, 'an attempt that ended without an outcome counts too').toBe(3);
  await lane.commit(outcomeOf(third));
  expect(await store.reclaim(rollout.rolloutId)).toBeNull();
  expect(await refusal(store.retry(rollout.rolloutId))).toMatchObject({ code: 'internal' });
  expect(await store.counts()).toMatchObject({ pending: 0, byStatus: { completed: 1, failed: 0 } });
});

test('an old lease changes nothing', async () => {
  const store = await openRun(temporaryDirectory());
  await planPrompts(store, ['a']);
  const lane = openLane(store);
  const [old] = await store.next(1);
  if (!old) {
    throw new Error('Expected a rollout.');
  }
  const entry = { sequence: 0, requestHash: 'h', reply: '{"text":"kept"}' };
  expect(await lane.append(old.rolloutId, old.lease, entry)).toBe('stored');
  const current = await store.reclaim(old.rolloutId);
  if (!current) {
    throw new Error('Expected it back.');
  }
  expect(current.journaled).toBe(true);

  expect(await lane.commit(outcomeOf(old))).toBe('stale');
  expect(await lane.append(old.rolloutId, old.lease, { ...entry, reply: 'other' })).toBe('stale');
  await lane.clearJournal(old.rolloutId, old.lease);
  expect(await lane.journal(old.rolloutId)).toEqual([entry]);
  expect(await store.counts()).toMatchObject({ pending: 1 });

  expect(await lane.commit(outcomeOf(current))).toBe('stored');
  expect(await lane.commit(outcomeOf(current)), 'a second outcome').toBe('stale');
  expect(await lane.append(old.rolloutId, current.lease, entry)).toBe('stale');
});

test('an outcome that a worker sent before it died is stored before the rollout is taken back', async () => {
  const store = await openRun(temporaryDirectory());
  await planPrompts(store, ['a', 'b']);
  const lane = openLane(store);
  const rollouts = await store.next(2);
  const commits = rollouts.map((rollout) => lane.commit(outcomeOf(rollout)));
  const reclaims = rollouts.toReversed().map((rollout) => store.reclaim(rollout.rolloutId));
  expect(await Promise.all(commits)).toEqual(['stored', 'stored']);
  expect(await Promise.all(reclaims)).toEqual([null, null]);
});

test('a plan cannot begin anew after rollouts of the old one were handed out', async () => {
  const store = await openRun(temporaryDirectory());
  await planPrompts(store, ['a']);
  await store.next(1);
  expect((await refusal(store.beginPlan())).message).toContain('beginPlan');
});

test('what failed alike in this start can be opened for the next one, and nothing else is', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a', 'b', 'c']);
  const lane = openLane(store);
  const classes = ['bad_request', 'bad_request', 'content_policy'];
  for (const [index, rollout] of (await store.next(3)).entries()) {
    const errorClass = classes[index] ?? null;
    await lane.commit(
      outcomeOf(rollout, { status: 'failed', errorClass, exitReason: 'model_error' }),
    );
  }
  expect(await store.counts()).toMatchObject({ pending: 0, byStatus: { failed: 3 } });
  await store.reopen('bad_request');
  expect(await store.counts()).toMatchObject({ pending: 2, byStatus: { failed: 3 } });
  await store.close();
  const resumed = await openRun(directory, { resume: true });
  await planPrompts(resumed, ['a', 'b', 'c']);
  expect(names(await resumed.next(10))).toEqual(['a#0', 'b#0']);
});

import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openRunReader } from '../../../runners/store/open-run-reader.js';
import type { RecordFilter, RunReader } from '../../../runners/store/run-reader.js';
import type { PendingRollout } from '../../../runners/store/run-store.js';
import type { RewardOutcome } from '../../../src/rollout/reward.js';
import {
  openLane,
  openRun,
  outcomeOf,
  planPrompts,
  promptTask,
  retryableFailure,
  temporaryDirectory,
} from './run-fixture.js';

async function read(reader: RunReader, filter?: RecordFilter): Promise<string[]> {
  const found: string[] = [];
  for await (const record of reader.records(filter)) {
    found.push(`${record.task.prompt}#${record.sample}`);
  }
  return found;
}

function pick(rollouts: readonly PendingRollout[], index: number): PendingRollout {
  const rollout = rollouts[index];
  if (!rollout) {
    throw new Error(`Expected rollout ${index}.`);
  }
  return rollout;
}

function scored(name: string, value: number | null, state: RewardOutcome['state'] = 'scored') {
  return {
    name,
    weight: 1,
    state,
    value,
    metrics: {},
    explanation: null,
    error: null,
    seconds: 0,
  };
}

test('records come in plan order, whatever order they were stored in, and can be chosen', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a', 'b', 'c'], 2);
  const lane = openLane(store);
  const rollouts = await store.next(6);
  await lane.commit(outcomeOf(pick(rollouts, 5), { reward: 1 }));
  await lane.commit(
    outcomeOf(pick(rollouts, 3), { status: 'truncated', exitReason: 'deadline', reward: 0.5 }),
  );
  await lane.commit(outcomeOf(pick(rollouts, 0), { reward: 0 }));
  const reader = openRunReader(directory);
  expect(reader.name).toBe('a-run');
  expect(reader.runId).toBe(store.runId);
  expect(await read(reader)).toEqual(['a#0', 'b#1', 'c#1']);
  expect(await read(reader, { statuses: ['truncated', 'failed'] })).toEqual(['b#1']);
  expect(await read(reader, { exitReasons: ['finished'] })).toEqual(['a#0', 'c#1']);
  expect(await read(reader, { minReward: 0.5 })).toEqual(['b#1', 'c#1']);
  const keys = [pick(rollouts, 4).taskKey, pick(rollouts, 0).taskKey, 'unknown'];
  expect(await read(reader, { taskKeys: keys })).toEqual(['a#0', 'c#1']);
  expect(await read(reader, { taskKeys: keys, minReward: 1 })).toEqual(['c#1']);
  expect(await read(reader, { statuses: [] })).toEqual([]);
  reader.close();
});

test('an iteration sees the run as it was when it began, while another process goes on writing', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  const prompts = Array.from({ length: 500 }, (_, index) => `p${index}`);
  await planPrompts(store, prompts);
  const lane = openLane(store);
  const rollouts = await store.next(500);
  const even = rollouts.filter((_, index) => index % 2 === 0);
  const odd = rollouts.filter((_, index) => index % 2 === 1);
  await Promise.all(even.map((rollout) => lane.commit(outcomeOf(rollout))));

  const reader = openRunReader(directory);
  const seen: string[] = [];
  for await (const record of reader.records()) {
    if (seen.length === 0) {
      await Promise.all(odd.map((rollout) => lane.commit(outcomeOf(rollout))));
    }
    seen.push(record.task_key);
  }
  expect(seen).toEqual(even.map((rollout) => rollout.taskKey));
  expect(await read(reader)).toHaveLength(500);
  reader.close();
});

test('a reader of a finished run does not hold up a resume, and sees what it adds', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a']);
  const lane = openLane(first);
  await lane.commit(outcomeOf(pick(await first.next(1), 0)));
  await first.close();
  const reader = openRunReader(directory);
  expect(await read(reader)).toEqual(['a#0']);

  const second = await openRun(directory, { resume: true });
  await planPrompts(second, ['a', 'b']);
  await openLane(second).commit(outcomeOf(pick(await second.next(1), 0)));
  expect(await read(reader)).toEqual(['a#0', 'b#0']);
  expect(reader.stats().counts).toEqual(await second.counts());
  await second.close();
  expect(await read(reader)).toEqual(['a#0', 'b#0']);
  reader.close();
});

test('a plan that changes under a reader without a snapshot is an error and not a wrong export', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory, { simulate: { network: true } });
  const prompts = Array.from({ length: 300 }, (_, index) => `p${index}`);
  await planPrompts(first, prompts);
  const lane = openLane(first);
  await Promise.all((await first.next(300)).map((rollout) => lane.commit(outcomeOf(rollout))));
  await first.close();
  const reader = openRunReader(directory);
  const records = reader.records()[Symbol.asyncIterator]();
  await records.next();
  const second = await openRun(directory, { resume: true, simulate: { network: true } });
  await planPrompts(second, prompts.toReversed());
  const rest = async () => {
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      // Only the error is wanted.
    }
  };
  await expect(rest()).rejects.toThrow('planned anew');
  reader.close();
});

test('on a network file system readers and the writer get on, and the user is warned', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory, { simulate: { network: true } });
  expect(store.warnings.join()).toContain('network file system');
  const prompts = Array.from({ length: 300 }, (_, index) => `p${index}`);
  await planPrompts(store, prompts);
  const lane = openLane(store);
  const rollouts = await store.next(300);
  await Promise.all(rollouts.slice(0, 250).map((rollout) => lane.commit(outcomeOf(rollout))));
  const reader = openRunReader(directory);
  let seen = 0;
  for await (const _ of reader.records()) {
    seen += 1;
    if (seen === 1) {
      await Promise.all(rollouts.slice(250).map((rollout) => lane.commit(outcomeOf(rollout))));
    }
  }
  expect(seen).toBe(300);
  expect(readdirSync(directory).filter((name) => name.startsWith('run.db-wal'))).toEqual([]);
  expect(reader.stats().counts.pending).toBe(0);
  reader.close();
});

test('a rollout is found by id, by key and by a unique beginning', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await store.beginPlan();
  const tasks = [
    promptTask('one', 'fix-parser'),
    promptTask('two', 'fix-printer'),
    promptTask('three'),
  ];
  await store.plan(tasks, 2);
  await store.endPlan(null, 2);
  const lane = openLane(store);
  const rollouts = await store.next(6);
  await lane.commit(outcomeOf(pick(rollouts, 1)));
  const entry = { sequence: 0, requestHash: 'h', reply: '{"text":"so far"}' };
  await lane.append(pick(rollouts, 2).rolloutId, pick(rollouts, 2).lease, entry);

  const reader = openRunReader(directory);
  expect(reader.find('fix-parser', 1)).toMatchObject({
    taskKey: tasks[0]?.key,
    sample: 1,
    task: { prompt: 'one' },
    record: { sample: 1 },
    journal: [],
  });
  expect(reader.find('fix-printer', 0)).toMatchObject({ record: null, journal: [entry] });
  const key = tasks[2]?.key ?? '';
  expect(reader.find(key, 0).task.prompt).toBe('three');
  expect(reader.find(key.slice(0, 8), 0).task.prompt).toBe('three');
  expect(reader.find('fix-pri', 0).task.prompt).toBe('two');
  expect(() => reader.find('fix-p', 0)).toThrow(/more than one task.*fix-parser.*fix-printer/);
  expect(() => reader.find('fix', 0)).toThrow('at least 4 characters');
  expect(() => reader.find('nothing', 0)).toThrow('There is no task');
  expect(() => reader.find('fix-parser', 2)).toThrow('0 to 1');
  expect(() => reader.find('fix-parser', -1)).toThrow('no sample -1');
  reader.close();
});

test('an id that an edited row has kept finds the row of the plan', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await first.beginPlan();
  await first.plan([promptTask('old text', 'row-1')], 1);
  await first.endPlan(null, 1);
  await first.close();
  const second = await openRun(directory, { resume: true });
  await second.beginPlan();
  await second.plan([promptTask('new text', 'row-1')], 1);
  await second.endPlan(null, 1);
  const reader = openRunReader(directory);
  expect(reader.find('row-1', 0).task.prompt).toBe('new text');
  reader.close();
});

test('statistics come from columns: no record is opened', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a', 'b'], 3);
  const lane = openLane(store);
  const rollouts = await store.next(6);
  const record = () => gzipSync('not JSON');
  const common = () => ({ record: record(), costUsd: 0.5, replayedCalls: 1, retries: 2 });
  await lane.commit(
    outcomeOf(pick(rollouts, 0), {
      ...common(),
      reward: 1,
      rewards: [scored('tests', 1), scored('style', 0.5)],
      toolStats: { terminal: { count: 3, success: 2, failure: 1 } },
    }),
  );
  await lane.commit(
    outcomeOf(pick(rollouts, 1), {
      ...common(),
      reward: 0,
      rewards: [scored('tests', 0), scored('style', null, 'not_applicable')],
      toolStats: { terminal: { count: 1, success: 1, failure: 0 } },
    }),
  );
  await lane.commit(
    outcomeOf(pick(rollouts, 2), {
      ...common(),
      status: 'discarded',
      discardReason: 'no_reasoning',
      rewards: [scored('tests', null, 'failed'), scored('style', 0.5)],
    }),
  );
  await lane.commit(retryableFailure(pick(rollouts, 3), { record: record() }));
  await store.fail(pick(rollouts, 4).rolloutId, {
    class: 'worker_crash',
    message: 'out of memory',
  });

  const reader = openRunReader(directory);
  const { tasks, ...stats } = reader.stats();
  expect(stats).toEqual({
    counts: {
      tasks: 2,
      rollouts: 6,
      pending: 2,
      byStatus: { completed: 2, truncated: 0, failed: 2, cancelled: 0, discarded: 1 },
      promptTokens: 400,
      completionTokens: 40,
      modelCalls: 8,
      costUsd: 1.5,
    },
    unplanned: 0,
    byExitReason: { finished: 3, model_error: 1, environment_error: 1 },
    byErrorClass: { overloaded: 1, worker_crash: 1 },
    byDiscardReason: { no_reasoning: 1 },
    rewards: [
      { name: 'tests', scored: 2, notApplicable: 0, failed: 1, mean: 0.5 },
      { name: 'style', scored: 2, notApplicable: 1, failed: 0, mean: 0.5 },
    ],
    meanReward: 0.5,
    tools: { terminal: { count: 4, success: 3, failure: 1 } },
    reasoning: { turns: 8, turnsWithReasoning: 4 },
    replayedCalls: 3,
    wastedCalls: 0,
    retries: 6,
    cachedTokens: 0,
    reasoningTokens: 0,
    turns: 8,
    rolloutSeconds: 6,
  });
  expect([...tasks()]).toMatchObject([
    {
      taskKey: pick(rollouts, 0).taskKey,
      id: null,
      samples: 3,
      done: 3,
      completed: 2,
      failed: 0,
      passed: 1,
      scored: 2,
      meanReward: 0.5,
      turns: 6,
      seconds: 4.5,
    },
    { done: 1, completed: 0, failed: 2, passed: 0, scored: 0, meanReward: null },
  ]);
  expect(await store.counts()).toEqual(stats.counts);
  reader.close();
});

test('a rollout that killed its worker keeps its replies for a look, and never runs again', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['poison']);
  const lane = openLane(store);
  const rollout = pick(await store.next(1), 0);
  const entry = { sequence: 0, requestHash: 'h', reply: '{}' };
  await lane.append(rollout.rolloutId, rollout.lease, entry);
  await store.fail(rollout.rolloutId, { class: 'worker_crash', message: 'it was killed' });
  await store.fail(rollout.rolloutId, { class: 'other', message: 'a second time' });
  expect(await lane.commit(outcomeOf(rollout))).toBe('stale');
  await store.close();
  const again = await openRun(directory, { resume: true });
  expect(await again.next(1)).toEqual([]);
  const reader = openRunReader(directory);
  expect(reader.find(rollout.taskKey, 0)).toMatchObject({ record: null, journal: [entry] });
  expect(reader.stats().byErrorClass).toEqual({ worker_crash: 1 });
  expect(await read(reader)).toEqual([]);
  reader.close();
});

test('a record that cannot be decoded is named', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a']);
  const lane = openLane(store);
  const rollout = pick(await store.next(1), 0);
  await lane.commit(outcomeOf(rollout, { record: Uint8Array.of(1, 2, 3) }));
  const reader = openRunReader(directory);
  expect(() => reader.find(rollout.taskKey, 0)).toThrow(`the record of ${rollout.taskKey}#0`);
  await expect(read(reader)).rejects.toMatchObject({ code: 'run_damaged' });
  reader.close();
});

test('a directory without a run is a usage error', () => {
  const directory = temporaryDirectory();
  expect(() => openRunReader(directory)).toThrow(`There is no run at ${directory}`);
  expect(() => openRunReader(`${directory}/nowhere`)).toThrow('There is no run');
});

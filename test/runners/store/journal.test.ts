import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { LaneStore, PendingRollout, RunStore } from '../../../runners/store/run-store.js';
import {
  openLane,
  openRun,
  outcomeOf,
  planPrompts,
  retryableFailure,
  temporaryDirectory,
} from './run-fixture.js';

const entry = (sequence: number, reply = `{"turn":${sequence}}`) => ({
  sequence,
  requestHash: `hash ${sequence}`,
  reply,
});

async function start(
  directory: string,
): Promise<{ store: RunStore; lane: LaneStore; rollout: PendingRollout }> {
  const store = await openRun(directory);
  await planPrompts(store, ['a']);
  const [rollout] = await store.next(1);
  if (!rollout) {
    throw new Error('Expected a rollout.');
  }
  return { store, lane: openLane(store), rollout };
}

async function appendAll(lane: LaneStore, { rolloutId, lease }: PendingRollout, count: number) {
  for (let sequence = 0; sequence < count; sequence += 1) {
    await lane.append(rolloutId, lease, entry(sequence));
  }
}

test('replies outlive the process and come back in order', async () => {
  const directory = temporaryDirectory();
  const { store, lane, rollout } = await start(directory);
  expect(rollout.journaled).toBe(false);
  expect(await lane.journal(rollout.rolloutId)).toEqual([]);
  await appendAll(lane, rollout, 12);
  await store.close();

  const again = await openRun(directory, { resume: true });
  const [resumed] = await again.next(1);
  expect(resumed).toMatchObject({ rolloutId: rollout.rolloutId, journaled: true, attempt: 1 });
  expect(await openLane(again).journal(rollout.rolloutId)).toEqual(
    Array.from({ length: 12 }, (_, sequence) => entry(sequence)),
  );
});

test.each([
  ['a final outcome ends the journal', 'final', 0],
  ['an outcome that may be tried again keeps it', 'retryable', 2],
  ['a cancelled rollout keeps it', 'cancelled', 2],
])('%s', async (_, kind, left) => {
  const { lane, rollout } = await start(temporaryDirectory());
  await appendAll(lane, rollout, 2);
  await lane.commit(
    kind === 'final'
      ? outcomeOf(rollout)
      : kind === 'retryable'
        ? retryableFailure(rollout)
        : outcomeOf(rollout, { status: 'cancelled', exitReason: 'cancelled' }),
  );
  expect(await lane.journal(rollout.rolloutId)).toHaveLength(left);
});

test('an attempt that starts over forgets the replies', async () => {
  const { lane, rollout } = await start(temporaryDirectory());
  await appendAll(lane, rollout, 3);
  await lane.clearJournal(rollout.rolloutId, rollout.lease);
  expect(await lane.journal(rollout.rolloutId)).toEqual([]);
});

const paid = (sequence: number, prompt: number) =>
  entry(
    sequence,
    JSON.stringify({ usage: { prompt_tokens: prompt, cached_tokens: 1, completion_tokens: 2 } }),
  );

test('calls that were paid in vain are remembered over every kill, and added up', async () => {
  const directory = temporaryDirectory();
  const { store, lane, rollout } = await start(directory);
  const { rolloutId, lease } = rollout;
  await lane.append(rolloutId, lease, paid(0, 10));
  await lane.append(rolloutId, lease, paid(1, 20));
  await lane.clearJournal(rolloutId, lease);
  await store.close();

  const second = await openRun(directory, { resume: true });
  const [resumed] = await second.next(1);
  expect(resumed).toMatchObject({ journaled: false, wastedCalls: 2 });
  const again = openLane(second);
  await again.append(rolloutId, resumed?.lease ?? 0, paid(0, 100));
  await again.clearJournal(rolloutId, resumed?.lease ?? 0);
  await second.close();

  const [third] = await (await openRun(directory, { resume: true })).next(1);
  expect(third).toMatchObject({ wastedCalls: 3 });
});

test('what was paid and stands in no outcome is known at the next start', async () => {
  const directory = temporaryDirectory();
  const { store, lane, rollout } = await start(directory);
  const { rolloutId, lease } = rollout;
  await lane.append(rolloutId, lease, paid(0, 10));
  await lane.clearJournal(rolloutId, lease);
  await lane.append(rolloutId, lease, paid(0, 100));
  await store.close();
  const resumed = await openRun(directory, { resume: true });
  expect(await resumed.spent()).toEqual({
    outcomesUsd: 0,
    usage: { prompt_tokens: 110, cached_tokens: 2, completion_tokens: 4 },
  });

  // Its journal stays, and holds the same calls: they are not counted twice.
  const [again] = await resumed.next(1);
  const outcome = { costUsd: 5, status: 'cancelled', exitReason: 'cancelled' } as const;
  await openLane(resumed).commit(outcomeOf(again ?? rollout, outcome));
  expect(await resumed.spent()).toMatchObject({ outcomesUsd: 0, usage: { prompt_tokens: 110 } });
});

test('what outcomes tell is spent as they tell it', async () => {
  const { store, lane, rollout } = await start(temporaryDirectory());
  await lane.append(rollout.rolloutId, rollout.lease, paid(0, 10));
  await lane.commit(outcomeOf(rollout, { costUsd: 5 }));
  expect(await store.spent()).toEqual({
    outcomesUsd: 5,
    usage: { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 },
  });
});

test('a reply that takes the place of an earlier one ends the conversation that followed it', async () => {
  const { lane, rollout } = await start(temporaryDirectory());
  await appendAll(lane, rollout, 4);
  await lane.append(rollout.rolloutId, rollout.lease, entry(1, '"another"'));
  expect(await lane.journal(rollout.rolloutId)).toEqual([entry(0), entry(1, '"another"')]);
});

test('replies of megabytes and odd text come back as they were', async () => {
  const { lane, rollout } = await start(temporaryDirectory());
  const large = JSON.stringify({ text: 'ä𝄞\u0000\u2028'.repeat(1_000_000) });
  const { rolloutId, lease } = rollout;
  await lane.append(rolloutId, lease, entry(0, large));
  await lane.append(rolloutId, lease, entry(1, JSON.stringify('\ud83d')));
  const [first, second] = await lane.journal(rolloutId);
  expect(first?.reply === large).toBe(true);
  expect(JSON.parse(second?.reply ?? '')).toBe('\ud83d');
});

test('records are stored as they come, and a buffer of their own is given away', async () => {
  const { lane, rollout } = await start(temporaryDirectory());
  const whole = new Uint8Array(gzipSync('{}'));
  const part = Buffer.concat([Buffer.from('before'), whole]).subarray(6);
  const commit = lane.commit(outcomeOf(rollout, { record: whole }));
  expect(whole.byteLength, 'transferred').toBe(0);
  expect(await commit).toBe('stored');
  expect(part.byteLength).toBeGreaterThan(0);
});

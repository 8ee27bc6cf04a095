import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectStore } from '../../../dist/runners/store/connect-store.js';
import { openRunReader } from '../../../runners/store/open-run-reader.js';
import type { LaneStore, RunStore } from '../../../runners/store/run-store.js';
import { isFatal, storeError } from '../../../runners/store/store-error.js';
import { canMount, mountMemory, remount } from './mount.js';
import {
  openLane,
  openRun,
  outcomeOf,
  planPrompts,
  promptTask,
  refusal,
  temporaryDirectory,
} from './run-fixture.js';

const prompts = Array.from({ length: 400 }, (_, index) => `prompt ${index}`);

/** Commits until the store gives up; the keys that were acknowledged, and why it gave up. */
async function commitUntilFailure(
  store: RunStore,
  lane: LaneStore,
): Promise<{ stored: string[]; failures: { code: string; message: string }[] }> {
  const stored: string[] = [];
  const failures: { code: string; message: string }[] = [];
  const rollouts = await store.next(prompts.length);
  await Promise.all(
    rollouts.map(async (rollout, index) => {
      // In waves, so that some are stored before the disk is full.
      for (let wave = 0; wave < index / 20; wave += 1) {
        await lane.journal(rollout.rolloutId).catch(() => {});
      }
      try {
        const record = new Uint8Array(randomBytes(20_000));
        await lane.commit(outcomeOf(rollout, { record }));
        stored.push(rollout.taskKey);
      } catch (thrown) {
        failures.push(thrown as { code: string; message: string });
      }
    }),
  );
  return { stored, failures };
}

async function expectFullDiskToBeMended(
  directory: string,
  full: RunStore,
  mend: () => void,
): Promise<void> {
  await planPrompts(full, prompts);
  const lane = openLane(full);
  const { stored, failures } = await commitUntilFailure(full, lane);
  expect(stored.length).toBeGreaterThan(0);
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) {
    expect(failure.code).toBe('store_failed');
    expect(failure.message).toMatch(/full.*--resume/s);
  }
  expect(await refusal(full.next(1)), 'nothing goes on').toMatchObject({ code: 'store_failed' });
  expect(await refusal(full.counts())).toMatchObject({ code: 'store_failed' });
  await full.close();
  expect(existsSync(join(directory, 'run.lock'))).toBe(false);

  mend();
  const mended = await openRun(directory, { resume: true, check: true });
  const left = await mended.next(1000);
  const keys = new Set([...stored, ...left.map((rollout) => rollout.taskKey)]);
  expect(keys.size).toBe(prompts.length);
  expect(left).toHaveLength(prompts.length - stored.length);
  const second = openLane(mended);
  await Promise.all(left.map((rollout) => second.commit(outcomeOf(rollout))));
  expect(await mended.counts()).toMatchObject({ pending: 0 });
  await mended.close();
}

test('a full disk stops the run, loses nothing that was acknowledged, and a resume goes on', async () => {
  const directory = temporaryDirectory();
  const full = await openRun(directory, { simulate: { maxPages: 160 } });
  await expectFullDiskToBeMended(directory, full, () => {});
});

describe.skipIf(!canMount())('on a disk of its own', () => {
  test('a disk that is really full stops the run, and a resume goes on when there is space', async () => {
    const directory = mountMemory('size=6m');
    const full = await openRun(directory);
    await expectFullDiskToBeMended(directory, full, () => remount(directory, 'size=64m'));
  });

  test('a directory that cannot be written is refused before the run starts', async () => {
    const directory = mountMemory('size=8m');
    remount(directory, 'ro');
    const refused = await refusal(openRun(directory));
    expect(refused.code).toBe('usage');
    expect(refused.message).toContain('Make it writable');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a finished run can be read where nothing can be written', async () => {
    const directory = mountMemory('size=8m');
    const store = await openRun(directory);
    await planPrompts(store, ['a']);
    const lane = openLane(store);
    for (const rollout of await store.next(1)) {
      await lane.commit(outcomeOf(rollout));
    }
    await store.close();
    remount(directory, 'ro');
    const reader = openRunReader(directory);
    expect(reader.stats().counts.byStatus.completed).toBe(1);
    reader.close();
  });
});

test.each([
  ['a file', 'file'],
  ['a path below a file', 'file/run'],
  ['a name that is too long', 'x'.repeat(300)],
  ['a folder in which nothing can be made', '/proc/run'],
])('%s cannot be a run directory, and that is no bug', async (_what, path) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  const out = resolve(directory, path);
  expect(await refusal(openRun(out))).toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/cannot be (a run directory|written).*another.* with --out/),
  });
});

test('a run.yaml of somebody else is kept, and the message says what it may be', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'run.yaml'), 'mine\n');
  const { message } = await refusal(openRun(directory));
  expect(message).toContain('If run.yaml is a file of your own, choose another --out.');
  expect(readFileSync(join(directory, 'run.yaml'), 'utf8')).toBe('mine\n');
});

/** Makes a run of some hundred pages and overwrites the pages from `first` on. */
async function damagedRunFrom(first: number): Promise<string> {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, prompts);
  const lane = openLane(store);
  const rollouts = await store.next(prompts.length - 10);
  await Promise.all(
    rollouts.map((rollout) =>
      lane.commit(outcomeOf(rollout, { record: new Uint8Array(randomBytes(9000)) })),
    ),
  );
  await store.close();
  const path = join(directory, 'run.db');
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  const from = first * 16_384;
  writeSync(file, randomBytes(size - from), 0, size - from, from);
  closeSync(file);
  return directory;
}

test('damage that is met while the run goes on stops it and says how to mend it', async () => {
  const directory = await damagedRunFrom(2);
  const store = await openRun(directory, { resume: true }).catch((thrown: unknown) => thrown);
  const failure =
    store instanceof Error ? store : await refusal((store as RunStore).next(prompts.length));
  expect(failure).toMatchObject({ code: 'run_damaged' });
  expect((failure as Error).message).toContain('.recover');
  if (!(store instanceof Error)) {
    expect(await refusal((store as RunStore).next(1))).toMatchObject({ code: 'run_damaged' });
  }
});

test('a check that is asked for finds damage before anything is written', async () => {
  const directory = await damagedRunFrom(60);
  const refused = await refusal(openRun(directory, { resume: true, check: true }));
  expect(refused.code).toBe('run_damaged');
  expect(existsSync(join(directory, 'run.lock'))).toBe(false);
});

test('a small run is checked by itself after it was not closed', async () => {
  const directory = await damagedRunFrom(60);
  writeFileSync(
    join(directory, 'run.lock'),
    JSON.stringify({ pid: process.pid, started: '1', host: (await import('node:os')).hostname() }),
  );
  expect(await refusal(openRun(directory, { resume: true }))).toMatchObject({
    code: 'run_damaged',
  });
});

test('readers meet damage with the same words', async () => {
  const directory = await damagedRunFrom(60);
  const reader = openRunReader(directory);
  const readAll = async () => {
    for await (const _ of reader.records()) {
      // Only the error is wanted.
    }
  };
  expect(await refusal(readAll())).toMatchObject({ code: 'run_damaged' });
  reader.close();
});

test('when the thread of the store dies, everything that waits is rejected, and a resume goes on', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a', 'b']);
  const port = store.connect();
  const lane = connectStore(port);
  const [rollout] = await store.next(1);
  if (!rollout) {
    throw new Error('Expected a rollout.');
  }
  // No sender of ours sends this: it stands for a bug in the thread.
  port.postMessage(null);
  const commits = [0, 1].map(() => refusal(lane.commit(outcomeOf(rollout))));
  for (const failure of [...(await Promise.all(commits)), await refusal(store.next(1))]) {
    expect(failure).toMatchObject({ code: 'store_failed' });
    expect(failure.message).toContain('--resume');
  }
  expect(await refusal(store.counts())).toMatchObject({ code: 'store_failed' });
  expect(await refusal(lane.journal(rollout.rolloutId))).toMatchObject({ code: 'store_failed' });
  await store.close();
  const again = await openRun(directory, { resume: true });
  expect(await again.next(10)).toHaveLength(2);
});

test('a mistake in one request fails that request alone', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a', 'b', 'c']);
  const lane = openLane(store);
  const [a, b, c] = await store.next(3);
  if (!a || !b || !c) {
    throw new Error('Expected three rollouts.');
  }
  const reward = { weight: 1, metrics: {}, explanation: null, error: null, seconds: 0 } as const;
  const bad = { ...reward, name: 'tests', state: 'scored', value: Number.NaN } as const;
  const results = await Promise.allSettled([
    lane.commit(outcomeOf(a)),
    lane.commit(outcomeOf(b, { rewards: [bad] })),
    lane.commit(outcomeOf(c, { turns: 1.5 })),
  ]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  // Not `store_failed`, which ends the run.
  const codes = results.map((result) => result.status === 'rejected' && result.reason.code);
  expect(codes).toEqual([false, 'internal', 'internal']);
  const counts = { pending: 2, byStatus: { completed: 1 } };
  expect(await store.counts()).toMatchObject(counts);
  const reader = openRunReader(directory);
  expect(reader.stats(), 'nothing of the bad ones is left').toMatchObject({ counts, rewards: [] });
  reader.close();
  expect(await lane.commit(outcomeOf(b)), 'and it may be mended').toBe('stored');
});

test('a closed store refuses calls', async () => {
  const store = await openRun(temporaryDirectory());
  const lane = openLane(store);
  const planning = store.beginPlan().then(() => store.plan([promptTask('a')], 1));
  const closing = store.close();
  expect(await refusal(planning)).toMatchObject({ message: expect.stringContaining('closed') });
  await closing;
  expect(await refusal(store.next(1))).toMatchObject({ code: 'store_failed' });
  expect(await refusal(lane.journal(1))).toMatchObject({ code: 'store_failed' });
});

test.each([
  ['SQLITE_FULL', 'store_failed', true],
  ['SQLITE_IOERR_WRITE', 'store_failed', true],
  ['SQLITE_IOERR_FSYNC', 'store_failed', true],
  ['SQLITE_CORRUPT_INDEX', 'run_damaged', true],
  ['SQLITE_NOTADB', 'run_damaged', true],
  ['SQLITE_READONLY_DIRECTORY', 'store_failed', true],
  ['SQLITE_BUSY_SNAPSHOT', 'store_failed', true],
  ['SQLITE_NOMEM', 'store_failed', true],
  ['SQLITE_CONSTRAINT_UNIQUE', 'internal', false],
  ['SQLITE_TOOBIG', 'internal', false],
  ['EACCES', 'usage', false],
  ['ENAMETOOLONG', 'usage', false],
  ['ERR_INVALID_ARG_TYPE', 'internal', false],
] as const)('%s is %s', (code, expected, fatal) => {
  const thrown = Object.assign(new Error('detail'), { code });
  expect(storeError(thrown, '/runs/x/run.db')).toMatchObject({
    code: expected,
    message: expect.stringContaining('/runs/x/run.db'),
  });
  expect(isFatal(thrown)).toBe(fatal);
});

import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { FileGuard } from '../../../runners/store/file-guard.js';
import { openRunReader } from '../../../runners/store/open-run-reader.js';
import { openLane, openRun, outcomeOf, planPrompts, temporaryDirectory } from './run-fixture.js';

const writeAhead = (path: string) => `${path}-wal`;

describe('a run.db that somebody touches while it is written', () => {
  /** A database in use, and a look at it two seconds after `touch`. */
  function looked(touch: (path: string) => void): () => void {
    const path = join(temporaryDirectory(), 'run.db');
    const database = new Database(path);
    database.pragma('journal_mode = wal');
    database.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    let now = 0;
    const guard = new FileGuard(path, database, () => now);
    guard.check();
    touch(path);
    return () => {
      now += 2_000;
      guard.check();
    };
  }

  test.each([
    ['is deleted', (path: string) => rmSync(path), /run\.db was deleted/],
    [
      'is replaced',
      (path: string) => {
        copyFileSync(path, `${path}.other`);
        renameSync(`${path}.other`, path);
      },
      /run\.db was replaced by another file/,
    ],
    ['is cut short', (path: string) => truncateSync(path, 0), /run\.db was cut from \d+ to 0/],
    ['loses its log', (path: string) => rmSync(writeAhead(path)), /run\.db-wal was deleted/],
  ])('is noticed when it %s', (_how, touch, message) => {
    expect(looked(touch)).toThrow(message);
  });

  test('is left alone otherwise, and looked at once a second at most', () => {
    expect(looked(() => undefined)).not.toThrow();
    const path = join(temporaryDirectory(), 'run.db');
    const database = new Database(path);
    database.exec('CREATE TABLE t (a)');
    const guard = new FileGuard(path, database, () => 0);
    rmSync(path);
    expect(() => guard.check()).not.toThrow();
  });
});

test('what a deleted run held is saved, and is a run once it has its name back', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a', 'b']);
  const [rollout] = await store.next(1);
  if (rollout === undefined) {
    throw new Error('Expected a rollout.');
  }
  await openLane(store).commit(outcomeOf(rollout));
  rmSync(join(directory, 'run.db'));
  let failure: { code: string; message: string } | null = null;
  while (failure === null) {
    failure = await store.counts().then(
      () => null,
      (thrown) => thrown as { code: string; message: string },
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(failure).toMatchObject({
    code: 'store_failed',
    message: expect.stringContaining('run.db.rescued'),
  });
  await store.close();
  for (const left of ['run.db-wal', 'run.db-shm']) {
    rmSync(join(directory, left), { force: true });
  }
  renameSync(join(directory, 'run.db.rescued'), join(directory, 'run.db'));
  const reader = openRunReader(directory);
  expect(reader.stats().counts).toMatchObject({ rollouts: 2, pending: 1 });
  reader.close();
  const resumed = await openRun(directory, { resume: true });
  expect(resumed.runId).toBe(store.runId);
  expect(readFileSync(join(directory, 'run.yaml'), 'utf8')).not.toBe('');
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentProcess } from '../../../runners/store/process-identity.js';
import { acquireRunLock } from '../../../runners/store/run-lock.js';
import { openRun, planPrompts, refusal, temporaryDirectory } from './run-fixture.js';

const now = Date.now();

/** Leaves a lock that differs from one of this process in some fields. */
function leaveLock(directory: string, changes: object): void {
  const content = { ...currentProcess(), since: '2026-01-02T03:04:05.000Z', ...changes };
  writeFileSync(join(directory, 'run.lock'), JSON.stringify(content));
}

function reason(action: () => unknown): { code: string; message: string } {
  try {
    action();
  } catch (thrown) {
    return thrown as { code: string; message: string };
  }
  throw new Error('Expected it to throw.');
}

test('a run that is being written is refused, with who writes it and since when', async () => {
  const directory = temporaryDirectory();
  await openRun(directory);
  const refused = await refusal(openRun(directory, { resume: true }));
  expect(refused.code).toBe('run_locked');
  expect(refused.message).toContain(`process ${process.pid} on ${hostname()}`);
  expect(refused.message).toContain('since 2023-11-14T22:13:20.000Z');
});

test('closing a run frees it and leaves no lock', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await store.close();
  await store.close();
  expect(readdirSync(directory).sort()).toEqual(['run.db', 'run.yaml']);
  await openRun(directory, { resume: true });
});

test('a refused start leaves the lock of nobody', async () => {
  const directory = temporaryDirectory();
  const store = await openRun(directory);
  await planPrompts(store, ['a']);
  await store.close();
  await refusal(openRun(directory, { identity: {} }));
  expect(existsSync(join(directory, 'run.lock'))).toBe(false);
});

test('the lock of a process that was killed is taken over', async () => {
  const directory = temporaryDirectory();
  const url = new URL('../../../dist/runners/store/run-lock.js', import.meta.url);
  const code = `import(${JSON.stringify(url.href)}).then((lock) => {
    lock.acquireRunLock(${JSON.stringify(directory)}, Date.now());
    process.stdout.write('locked');
    setInterval(() => {}, 1000);
  })`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(reason(() => acquireRunLock(directory, now)).message).toContain(`process ${child.pid} on`);

  child.kill('SIGKILL');
  await once(child, 'close');
  const lock = acquireRunLock(directory, now);
  expect(lock.takenOver).toBe(true);
  expect(JSON.parse(readFileSync(join(directory, 'run.lock'), 'utf8')).pid).toBe(process.pid);
  lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

test('a process number that was given to another process does not keep the lock', () => {
  const directory = temporaryDirectory();
  leaveLock(directory, { started: '1' });
  expect(acquireRunLock(directory, now).takenOver).toBe(true);
});

test('a lock from before the host was restarted is taken over', () => {
  const directory = temporaryDirectory();
  leaveLock(directory, { boot: 'an earlier one' });
  expect(acquireRunLock(directory, now).takenOver).toBe(true);
});

test.each([
  ['another host', { host: 'other-host', pid: 1 }],
  ['another machine of the same name', { machine: 'another', boot: 'another' }],
  ['another container on this host', { namespace: 'pid:[1]' }],
])('the lock of %s is never broken, and the user is told which file it is', (_, changes) => {
  const directory = temporaryDirectory();
  leaveLock(directory, changes);
  const { code, message } = reason(() => acquireRunLock(directory, now));
  expect(code).toBe('run_locked');
  expect(message).toContain(`delete ${join(directory, 'run.lock')}`);
  expect(message).toContain('since 2026-01-02T03:04:05.000Z');
});

test('a lock without content is waited for while it is new, and garbage when it is old', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'run.lock');
  writeFileSync(path, '');
  expect(reason(() => acquireRunLock(directory, now)).message).toContain('being written');
  utimesSync(path, new Date(now - 60_000), new Date(now - 60_000));
  expect(acquireRunLock(directory, now).takenOver).toBe(true);
});

test('of several processes that find a dead lock, one gets it', async () => {
  const directory = temporaryDirectory();
  leaveLock(directory, { started: '1' });
  const url = new URL('../../../dist/runners/store/run-lock.js', import.meta.url);
  const code = `import(${JSON.stringify(url.href)}).then((lock) => {
    process.stdin.once('data', () => {
      let said = 'lost';
      try { lock.acquireRunLock(${JSON.stringify(directory)}, Date.now()); said = 'won'; } catch {}
      process.stdout.write(said);
    });
    process.stdin.once('end', () => process.exit());
    process.stdout.write('ready');
  })`;
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', code]));
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  const answers = children.map((child) => once(child.stdout, 'data'));
  for (const child of children) {
    child.stdin.write('go');
  }
  const said = (await Promise.all(answers)).map(([data]) => String(data));
  expect(said.sort()).toEqual(['lost', 'lost', 'lost', 'won']);
  for (const child of children) {
    child.stdin.end();
  }
});

test('when the lock was deleted by hand, only the process that came last writes', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory);
  await planPrompts(first, ['a']);
  leaveLock(directory, { started: '1' });
  const second = await openRun(directory, { resume: true });
  expect(await refusal(first.next(1))).toMatchObject({ code: 'run_locked' });
  expect(await second.next(1)).toHaveLength(1);
  await first.close();
  expect(existsSync(join(directory, 'run.lock')), 'the other lock is left alone').toBe(true);
});

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { GuardedSession } from '../../../../src/sandbox/guard/guarded-session.js';
import { local } from '../../../../src/sandbox/providers/local.js';
import { specOf } from '../sandbox-under-test.js';

/** A session that takes a folder of the test's own for the home of its user. */
async function open() {
  const home = mkdtempSync(join(tmpdir(), 'guard-home-'));
  const sandbox = await local.create(specOf(), new AbortController().signal);
  onTestFinished(async () => {
    await sandbox.close();
    rmSync(home, { recursive: true });
  });
  return { home, session: new GuardedSession(sandbox.session, { home }) };
}

it('answers a command that must not run like one that failed, and counts it', async () => {
  const { session } = await open();
  const refused = await session.exec('rm -rf /usr', { mergeStderr: true });
  expect(refused).toMatchObject({
    exitCode: 126,
    blocked: 'it removes /usr with all that is in it',
  });
  expect(refused.stdout.toString()).toContain('This command was not run: it removes /usr');
  expect((await session.exec('echo fine')).stdout.toString()).toBe('fine\n');
  expect(session.blocked).toBe(1);
});

it.each([
  ['named', '~/.ssh/authorized_keys'],
  ['reached by ..', 'x/../../../../../../../../HOME/.ssh/config'],
  ['behind a link', 'innocent/authorized_keys'],
])('writes no file of the user’s that is %s', async (_name, path) => {
  const { home, session } = await open();
  await session.exec(`mkdir -p ${home}/.ssh; ln -s ${home}/.ssh innocent`);
  const target = path.replace('~', home).replace('HOME', home.slice(1));
  await expect(session.write(target, 'key')).rejects.toThrow('isolates nothing');
  expect(readdirSync(join(home, '.ssh'))).toEqual([]);
  expect(session.blocked).toBe(1);
  await session.write('own/file', 'text');
  expect((await session.read('own/file'))?.toString()).toBe('text');
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rename, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tasks } from '../../../environments/kinds/tasks.js';
import { sha256 } from '../../../src/hash.js';
import type { Task } from '../../../src/rollout/task.js';
import { taskKey } from '../../../src/rollout/task-key.js';
import { putFiles, temporaryFolder } from '../../helpers/temporary-folder.js';

async function open(path: string, onBadRow: 'error' | 'skip' = 'error') {
  return await tasks.open({ kind: 'tasks', path, onBadRow, options: {} });
}

async function all(path: string, onBadRow: 'error' | 'skip' = 'error'): Promise<Task[]> {
  const found: Task[] = [];
  for await (const task of (await open(path, onBadRow)).tasks()) {
    found.push(task);
  }
  return found;
}

const minimal = { 'task.yaml': 'schema: talaria/1\n', 'instruction.md': 'Do it.\n' };
const under = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

describe('a task folder', () => {
  it('is read with everything that it says', async () => {
    const folder = await temporaryFolder({
      'task.yaml': [
        'schema: talaria/1',
        'id: hello',
        'image: debian:bookworm-slim',
        'cwd: /app',
        'setup: |',
        '  mkdir x',
        'requires: [python3]',
        'agent_timeout_s: 90',
        'tests_timeout_s: 30.5',
        'tags: [easy]',
        'metadata: { author: me, made: 2026-01-01 }',
      ].join('\n'),
      'instruction.md': '\uFEFF# Do it\n\nNow.\n\n',
      'files/b/run.sh': 'echo\n',
      'files/a.txt': 'a',
      'tests/test.sh': 'exit 0\n',
      'solution/solve.sh': 'true\n',
    });
    const [task] = await all(folder);
    expect(task).toEqual({
      id: 'hello',
      prompt: '# Do it\n\nNow.',
      image: 'debian:bookworm-slim',
      cwd: '/app',
      setup: 'mkdir x\n',
      requires: ['python3'],
      agent_timeout_s: 90,
      tests_timeout_s: 30.5,
      tags: ['easy'],
      metadata: { author: 'me', made: expect.stringContaining('2026-01-01') },
      answer: null,
      folder,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      files: [
        {
          path: 'a.txt',
          text: null,
          host_path: join(folder, 'files/a.txt'),
          sha256: sha256('a'),
          mode: 0o644,
        },
        {
          path: 'b/run.sh',
          text: null,
          host_path: join(folder, 'files/b/run.sh'),
          sha256: sha256('echo\n'),
          mode: 0o755,
        },
      ],
    });
  });

  it('has its name as id where it gives none', async () => {
    const folder = await temporaryFolder(minimal);
    expect((await all(folder))[0]?.id).toBe(basename(folder));
  });

  it('may hold links to files of its own, and no link that leads out', async () => {
    const folder = await temporaryFolder({ ...minimal, 'files/real.txt': 'r' });
    await symlink('real.txt', join(folder, 'files/link.txt'));
    expect((await all(folder))[0]?.files.map(({ path }) => path)).toEqual(['link.txt', 'real.txt']);
    await symlink('/etc/hosts', join(folder, 'files/out.txt'));
    await expect(all(folder)).rejects.toThrow(/out\.txt is a link that leads nowhere, or out/);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'an unknown key',
      { 'task.yaml': 'schema: talaria/1\nimmage: x\n' },
      /task\.yaml: unknown key `immage`.*did you mean "image"/,
    ],
    [
      'another schema',
      { 'task.yaml': 'schema: talaria/9\n' },
      /task\.yaml: `schema` must be talaria\/1, not "talaria\/9"/,
    ],
    ['no schema', { 'task.yaml': 'id: x\n' }, /task\.yaml: `schema` is missing/],
    ['an empty file', { 'task.yaml': '' }, /task\.yaml: `schema` is missing/],
    [
      'a wrong type',
      { 'task.yaml': 'schema: talaria/1\nagent_timeout_s: soon\n' },
      /`agent_timeout_s` must be a number of seconds above 0, not "soon"/,
    ],
    [
      'a time of nothing',
      { 'task.yaml': 'schema: talaria/1\ntests_timeout_s: 0\n' },
      /`tests_timeout_s` must be a number of seconds above 0, not 0/,
    ],
    [
      'broken YAML',
      { 'task.yaml': 'schema: [\n' },
      /task\.yaml: [^\n]* at line \d+, column \d+\.$/,
    ],
    [
      'an alias bomb',
      { 'task.yaml': `schema: talaria/1\nmetadata:\n${aliasBomb()}` },
      /task\.yaml: the aliases come to more than 100000 values, at line \d+, column \d+\.$/,
    ],
    [
      'an alias of itself',
      { 'task.yaml': 'schema: talaria/1\nmetadata: &m { own: *m }\n' },
      /task\.yaml: the alias \*m refers to itself, at line 2, column 21\.$/,
    ],
    [
      'a number that none can hold',
      { 'task.yaml': 'schema: talaria/1\nmetadata: { x: 1e999 }\n' },
      /task\.yaml: 1e999 is no finite number.* at line 2, column 16\.$/,
    ],
    [
      'a prototype',
      { 'task.yaml': 'schema: talaria/1\nmetadata: { __proto__: {} }\n' },
      /task\.yaml: a key must not be `__proto__`, at line 2/,
    ],
    [
      'a tag',
      { 'task.yaml': 'schema: talaria/1\nmetadata: !!set { a }\n' },
      /task\.yaml: the tag !!set is not understood, at line 2/,
    ],
    ['tests that are a file', { tests: 'exit 0\n' }, /tests is no folder, and must be one/],
    ['a solution that is a file', { solution: 'x' }, /solution is no folder, and must be one/],
    ['files that are a file', { files: 'x' }, /files is no folder, and must be one/],
    ['tests without test.sh', { 'tests/other.sh': '' }, /tests\/test\.sh is missing/],
    [
      'Windows line ends in test.sh',
      { 'tests/test.sh': '#!/bin/sh\nexit 0\r\n' },
      /tests\/test\.sh has a Windows line end \(CRLF\) in line 2.*sed -i/,
    ],
    ['an empty instruction', { 'instruction.md': ' \n' }, /instruction\.md is empty/],
  ])('with %s is an error that names the file and the key', async (_name, files, message) => {
    const folder = await temporaryFolder({ ...minimal, ...files });
    await expect(all(folder)).rejects.toMatchObject({
      code: 'data_set',
      message: expect.stringMatching(message),
    });
  });
});

describe('a special file in a task folder is refused and not opened', () => {
  it.each(['pipe', 'instruction.md', 'task.yaml', 'tests/test.sh', 'files/pipe'])(
    'a pipe as %s',
    async (path) => {
      const folder = await temporaryFolder({ ...minimal, 'tests/x': '', 'files/x': '' });
      await rm(join(folder, path), { force: true });
      execFileSync('mkfifo', [join(folder, path)]);
      await expect(all(folder)).rejects.toThrow(/is neither a file nor a folder/);
      await expect((await open(folder)).fingerprint?.()).rejects.toThrow(/is neither/);
    },
  );

  it('a socket', async () => {
    const folder = await temporaryFolder(minimal);
    const server = createServer().listen(join(folder, 'socket'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    await expect(all(folder)).rejects.toThrow(/socket is neither a file nor a folder/);
  });
});

// Root reads everything.
it.skipIf(process.getuid?.() === 0).each(['instruction.md', 'tests/test.sh', 'files/a', 'tests'])(
  'what cannot be read is named: %s',
  async (path) => {
    const folder = await temporaryFolder({ ...minimal, 'tests/test.sh': 'true\n', 'files/a': '' });
    await chmod(join(folder, path), 0);
    await expect(all(folder)).rejects.toMatchObject({
      code: 'data_set',
      message: expect.stringMatching(`${path} cannot be read: permission is denied`),
    });
    await chmod(join(folder, path), 0o755);
  },
);

it('text that is not UTF-8 is refused', async () => {
  const latin1 = Buffer.from('Zähle.', 'latin1');
  const folder = await temporaryFolder({ ...minimal, 'instruction.md': latin1 });
  await expect(all(folder)).rejects.toThrow(/instruction\.md is not UTF-8 text/);
});

/** Each list holds the one before nine times. */
function aliasBomb(): string {
  const lines = ['  a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level++) {
    lines.push(
      `  a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }
  return `${lines.join('\n')}\n`;
}

describe('a folder of tasks', () => {
  it('tells of a link to a task that is gone, and of none beside the tasks', async () => {
    const folder = await temporaryFolder(under('a', minimal));
    await symlink('nowhere', join(folder, '.#lock'));
    expect(await all(folder)).toHaveLength(1);
    await symlink('nowhere', join(folder, 'b'));
    await expect(all(folder)).rejects.toThrow(/b is a link that leads nowhere/);
    expect(await all(folder, 'skip')).toHaveLength(1);
  });

  it('has every task looked at before the first is begun', async () => {
    const bad = { ...minimal, 'task.yaml': 'schema: [\n' };
    const folder = await temporaryFolder({ ...under('a', minimal), ...under('b', bad) });
    await expect((await open(folder)).fingerprint?.()).rejects.toThrow(/b\/task\.yaml/);
    expect(await (await open(folder, 'skip')).fingerprint?.()).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is read in the order of the names; other folders in it are left alone', async () => {
    const folder = await temporaryFolder({
      ...under('b', minimal),
      ...under('a', minimal),
      ...under('a10', minimal),
      'docs/readme.md': 'x',
      'readme.md': 'x',
    });
    expect((await all(folder)).map((task) => task.id)).toEqual(['a', 'a10', 'b']);
  });

  it('does not lose a half-made task in silence', async () => {
    const folder = await temporaryFolder({ ...under('a', minimal), 'b/instruction.md': 'x' });
    await expect(all(folder)).rejects.toThrow(/b\/task\.yaml cannot be read/);
    expect((await all(folder, 'skip')).map((task) => task.id)).toEqual(['a']);
  });

  it('with two tasks of one id names both', async () => {
    const named = { ...minimal, 'task.yaml': 'schema: talaria/1\nid: x\n' };
    const folder = await temporaryFolder({ ...under('a', named), ...under('b', named) });
    await expect(all(folder)).rejects.toThrow(/a and .*b both have the id x/);
  });

  it.each([['/tmp/no-such-folder-of-tasks', /cannot be read/]])(
    'at %s is an error',
    async (path, message) => {
      await expect(all(path)).rejects.toThrow(message);
    },
  );

  it('without a task is an error', async () => {
    await expect(all(await temporaryFolder())).rejects.toThrow(/holds no task/);
  });
});

describe('the key of a folder task', () => {
  it.each<[string, (folder: string) => Promise<void>]>([
    ['a test', (folder) => putFiles(folder, { 'tests/test.sh': 'exit 1\n' })],
    ['the solution', (folder) => putFiles(folder, { 'solution/solve.sh': 'x\n' })],
    ['the instruction', (folder) => putFiles(folder, { 'instruction.md': 'Other.' })],
    ['a file', (folder) => putFiles(folder, { 'files/a': '2' })],
    ['a mode', (folder) => chmod(join(folder, 'files/a'), 0o755)],
    ['a name', (folder) => rename(join(folder, 'files/a'), join(folder, 'files/b'))],
  ])('and the fingerprint change with %s', async (_name, change) => {
    const folder = await temporaryFolder({
      ...minimal,
      'tests/test.sh': 'exit 0\n',
      'files/a': '1',
    });
    const state = async () => {
      const [task] = await all(folder);
      return [taskKey(task as Task), await (await open(folder)).fingerprint?.()] as const;
    };
    const before = await state();
    expect(await state()).toEqual(before);
    await putFiles(folder, { '.DS_Store': 'looked at' });
    expect(await state()).toEqual(before);
    await change(folder);
    const after = await state();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});

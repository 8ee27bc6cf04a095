import { chmod, rename, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

/** Ten times the line before, nine times over. */
const aliasBomb = 'abcdefghi'
  .split('')
  .map(
    (name, at) =>
      `  ${name}: &${name} [${Array(10).fill(at === 0 ? 'x' : `*${'abcdefghi'[at - 1]}`)}]\n`,
  )
  .join('');
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
      'data that holds itself',
      { 'task.yaml': 'schema: talaria/1\nmetadata: &a { x: *a }\n' },
      /task\.yaml: `metadata` is nested more than 64 levels deep/,
    ],
    [
      'aliases that would grow without end',
      { 'task.yaml': `schema: talaria/1\nmetadata:\n${aliasBomb}` },
      /task\.yaml: Excessive alias count/,
    ],
    ['a file for its tests', { tests: 'exit 0\n' }, /\/tests is a file, and must be a folder/],
    [
      'a script with Windows line ends',
      { 'tests/test.sh': 'set -e\r\nexit 0\r\n' },
      /tests\/test\.sh has Windows line ends.*sed -i 's\/\\r\$\/\/'/,
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

describe('a folder of tasks', () => {
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

import { spawnSync } from 'node:child_process';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Environment, EnvironmentConfig } from '../../../environments/environment.js';
import { prompts } from '../../../environments/kinds/prompts.js';
import { sha256 } from '../../../src/hash.js';
import type { Task } from '../../../src/rollout/task.js';
import { taskKey } from '../../../src/rollout/task-key.js';
import { putFiles, temporaryFolder } from '../../helpers/temporary-folder.js';

async function openRows(
  content: string | Uint8Array,
  changes: Partial<EnvironmentConfig> = {},
): Promise<Environment> {
  const folder = await temporaryFolder({ 'rows.jsonl': content });
  return await openPath(join(folder, 'rows.jsonl'), changes);
}

function openPath(path: string | null, changes: Partial<EnvironmentConfig> = {}) {
  return prompts.open({ kind: 'prompts', path, onBadRow: 'error', options: {}, ...changes });
}

async function all(environment: Environment): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of environment.tasks()) {
    tasks.push(task);
  }
  return tasks;
}

const one = async (row: object) => (await all(await openRows(JSON.stringify(row))))[0] as Task;

describe('a file of prompts', () => {
  it.each([
    ['ends with a line feed', '{"prompt":"a"}\n{"prompt":"b"}\n', ['a', 'b']],
    ['ends without one', '{"prompt":"a"}\n{"prompt":"b"}', ['a', 'b']],
    ['has carriage returns', '{"prompt":"a"}\r\n{"prompt":"b"}\r\n', ['a', 'b']],
    ['has a byte order mark', '\uFEFF{"prompt":"a"}\n', ['a']],
    ['has blank lines', '\n  \n{"prompt":"a"}\n\r\n\n', ['a']],
    ['is empty', '', []],
    [
      'holds line separators in a text',
      '{"prompt":"a\u2028b\u2029c\u0085d"}\n',
      ['a\u2028b\u2029c\u0085d'],
    ],
    ['holds a lone surrogate as an escape', '{"prompt":"a\\ud83d b"}\n', ['a\uFFFD b']],
    ['holds a surrogate pair as escapes', '{"prompt":"\\ud83d\\ude00"}\n', ['😀']],
    ['keeps white space around a prompt', '{"prompt":" a "}\n', [' a ']],
  ])('is read when it %s', async (_name, content, expected) => {
    expect((await all(await openRows(content))).map((task) => task.prompt)).toEqual(expected);
  });

  it('is read when a line is longer than any buffer and letters lie across chunks', async () => {
    const prompt = 'äöü€😀'.repeat(200_000);
    const tasks = await all(
      await openRows(`${JSON.stringify({ prompt })}\n${JSON.stringify({ prompt: 'b' })}`),
    );
    expect(tasks.map((task) => task.prompt.length)).toEqual([prompt.length, 1]);
    expect(tasks[0]?.prompt === prompt).toBe(true);
  });

  it('can be read twice', async () => {
    const environment = await openRows('{"prompt":"a"}\nbad\n', { onBadRow: 'skip' });
    await all(environment);
    expect((await all(environment)).length).toBe(1);
    expect(environment.skippedRows?.()).toBe(1);
  });
});

describe('the columns of a row', () => {
  it('become the task, and those without a meaning its metadata', async () => {
    const task = await one({
      prompt: 'p',
      id: 7,
      image: 'a:1',
      cwd: '/w',
      setup: ['one', 'two'],
      requires: ['git'],
      tags: ['t'],
      answer: [1],
      metadata: { level: 1 },
      difficulty: 'hard',
      level: 2,
      files: { 'a.txt': 'x' },
    });
    expect(task).toEqual({
      prompt: 'p',
      id: '7',
      image: 'a:1',
      cwd: '/w',
      setup: 'one\ntwo',
      requires: ['git'],
      tags: ['t'],
      answer: [1],
      metadata: { level: 1, 'row.level': 2, difficulty: 'hard' },
      files: [{ path: 'a.txt', text: 'x', host_path: null, sha256: sha256('x'), mode: 0o644 }],
      folder: null,
      digest: null,
      agent_timeout_s: null,
      tests_timeout_s: null,
    });
  });

  it('may be null or blank, as data frames write what is absent', async () => {
    const empty = { id: null, image: '', docker_image: null, cwd: ' ', setup: null, files: null };
    const task = await one({ prompt: 'p', ...empty, tags: null, requires: null, metadata: null });
    expect(task).toMatchObject({ id: null, image: null, cwd: null, setup: null, files: [] });
    expect(task.metadata).toEqual({});
  });

  it('name the image in either way; `image` wins and the other one is not lost', async () => {
    expect((await one({ prompt: 'p', docker_image: 'b' })).image).toBe('b');
    const both = await one({ prompt: 'p', image: 'a', docker_image: 'b' });
    expect([both.image, both.metadata]).toEqual(['a', { docker_image: 'b' }]);
  });

  it('may be called __proto__ without doing anything', async () => {
    const environment = await openRows('{"prompt":"p","__proto__":{"polluted":1}}');
    const task = (await all(environment))[0];
    expect(Object.keys(task?.metadata ?? {})).toEqual(['__proto__']);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('a bad row', () => {
  it.each([
    ['{"prompt": "a"', /not JSON at column \d+ /],
    ['{"prompt": "a",}', /not JSON/],
    ['[1]', /not a list\. Mend the line/],
    ['"text"', /must be an object/],
    ['null', /must be an object/],
    ['{}', /`prompt` is missing; it must be text\. Mend/],
    ['{"text": "a", "n": 1}', /`prompt` is missing; it must be text\. The keys are text, n\. Mend/],
    ['{"prompt": ["a"]}', /`prompt` must be text, not a list/],
    ['{"prompt": 5}', /`prompt` must be text, not 5 \(number\)/],
    ['{"prompt": "  "}', /`prompt` must not be empty/],
    ['{"prompt": "a", "id": true}', /`id` must be text/],
    ['{"prompt": "a", "id": 12345678901234567890}', /`id` must be text/],
    ['{"prompt": "a", "tags": "x"}', /`tags` must be a list of texts/],
    ['{"prompt": "a", "tags": [1]}', /`tags\.0` must be text, not 1/],
    ['{"prompt": "a", "metadata": "x"}', /`metadata` must be an object/],
    ['{"prompt": "a", "image": 5}', /`image` must be text/],
    ['{"prompt": "a", "answer": 1e999}', /`answer` is Infinity: no number can hold .* in quotes/],
    ['{"prompt": "a", "metadata": {"x": [-1e999]}}', /`metadata\.x\.0` is -Infinity/],
    [`{"prompt": "a", "n": ${'9'.repeat(400)}}`, /`n` is Infinity/],
    [
      `{"prompt": "a", "answer": ${'['.repeat(9000)}${']'.repeat(9000)}}`,
      /`answer` is nested more than 64 levels deep/,
    ],
    ['{"prompt": "a", "files": ["x"]}', /`files` must be an object/],
    ['{"prompt": "a", "files": {"../x": ""}}', /without `\.\.`/],
    ['{"prompt": "a", "files": {"": ""}}', /must name a file/],
    ['{"prompt": "a", "files": {"x": 5}}', /`files\.x` must be text, or an object/],
    ['{"prompt": "a", "files": {"x": {"hostpath": "y"}}}', /the key `hostpath`/],
    ['{"prompt": "a", "files": {"x": {"text": "y", "mode": 644}}}', /octal digits/],
    ['{"prompt": "a", "files": {"x": {"host_path": "absent"}}}', /cannot be read as a file/],
    ['{"prompt": "a", "files": {"x": {"host_path": "/etc/hosts"}}}', /lies outside/],
    ['{"prompt": "a", "files": {"x": {"host_path": "../../etc/hosts"}}}', /outside|cannot be read/],
  ])('%s is an error that names file and line', async (row, message) => {
    const environment = await openRows(`{"prompt":"fine"}\n\n${row}\n`);
    const failure = await all(environment).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'data_set', message: expect.stringMatching(message) });
    expect(failure).toMatchObject({ message: expect.stringContaining('rows.jsonl, line 3: ') });
  });

  it('that is not UTF-8 is an error, not a changed prompt', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"prompt":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    await expect(all(await openRows(bytes))).rejects.toThrow('line 1: not UTF-8');
  });

  it('is left out and counted where the configuration says so', async () => {
    const environment = await openRows('bad\n{"prompt":"a"}\n{}\n', { onBadRow: 'skip' });
    expect((await all(environment)).map((task) => task.prompt)).toEqual(['a']);
    expect(environment.skippedRows?.()).toBe(2);
  });
});

describe('a data set that is no JSONL', () => {
  const advised = async (name: string, content: string | Buffer) => {
    const folder = await temporaryFolder({});
    await writeFile(join(folder, name), content);
    const failure = await all(await openPath(join(folder, name))).catch(
      (thrown: unknown) => thrown,
    );
    return failure instanceof Error ? failure.message : '';
  };

  it.each([
    ['a.csv', 'prompt,id\nhi,1\n', "csv.DictReader(sys.stdin)]' < a.csv > rows.jsonl"],
    ['a.tsv', 'prompt\tid\nhi\t1\n', 'csv.DictReader(sys.stdin, delimiter=chr(9))'],
    ['a.parquet', Buffer.from([0x50, 0x41, 0x52, 0x31, 0xff]), 'read_parquet("a.parquet")'],
    ['a.jsonl.gz', Buffer.from([0x1f, 0x8b, 0x08]), 'It is compressed'],
    ['a.txt', 'Do this.\nDo that.\n', "jq -Rc '{prompt: .}' a.txt"],
    ['a.json', '[\n{"prompt": "a"}\n]\n', "jq -c '.[]' a.json"],
    ['b.jsonl', '[{"prompt": "a"}]\n', "jq -c '.[]' b.jsonl"],
    ['c.json', '{\n"prompt": "a"\n}\n', 'jq -c . c.json'],
  ])('%s is answered with what makes JSONL of it', async (name, content, advice) => {
    const message = await advised(name, content);
    expect(message).toContain(advice);
    expect(message).not.toContain('Mend the line');
  });

  it('is told by its first row alone: later ones are to be mended', async () => {
    expect(await advised('a.txt', '{"prompt": "a"}\nDo that.\n')).toContain('Mend the line');
  });
});

describe('files of the host', () => {
  it('are named relative to the data set, hashed, and keep their mode', async () => {
    const folder = await temporaryFolder({
      'rows.jsonl': `${JSON.stringify({
        prompt: 'p',
        files: {
          'run.sh': { host_path: 'assets/run.sh' },
          b: { host_path: 'assets/run.sh', mode: '0600' },
        },
      })}\n`,
      'assets/run.sh': 'echo\n',
    });
    const [task] = await all(await openPath(join(folder, 'rows.jsonl')));
    const hostPath = join(folder, 'assets/run.sh');
    expect(task?.files).toEqual([
      { path: 'run.sh', text: null, host_path: hostPath, sha256: sha256('echo\n'), mode: 0o755 },
      { path: 'b', text: null, host_path: hostPath, sha256: sha256('echo\n'), mode: 0o600 },
    ]);
  });
});

describe('the key of a task', () => {
  const base = { prompt: 'p', image: 'i', files: { a: '1' }, tags: ['x'] };
  const keyOf = async (row: object) => taskKey(await one(row));

  it.each([
    ['keys in another order', { tags: ['x'], files: { a: '1' }, image: 'i', prompt: 'p' }],
    ['an answer', { ...base, answer: 42 }],
    ['metadata', { ...base, metadata: { a: 1 } }],
    ['an unknown column', { ...base, split: 'train' }],
    ['other tags', { ...base, tags: ['y'] }],
    ['white space around the prompt', { ...base, prompt: ' p\n' }],
    ['the other name of the image', { prompt: 'p', docker_image: 'i', files: { a: '1' } }],
  ])('does not change with %s', async (_name, row) => {
    expect(await keyOf(row)).toBe(await keyOf(base));
  });

  it.each([
    ['another prompt', { ...base, prompt: 'q' }],
    ['another image', { ...base, image: 'j' }],
    ['another content of a file', { ...base, files: { a: '2' } }],
    ['another mode of a file', { ...base, files: { a: { text: '1', mode: '0755' } } }],
    ['an id', { ...base, id: 'x' }],
    ['setup commands', { ...base, setup: 'true' }],
    ['a working directory', { ...base, cwd: '/w' }],
  ])('changes with %s', async (_name, row) => {
    expect(await keyOf(row)).not.toBe(await keyOf(base));
  });
});

describe('the fingerprint', () => {
  it('changes with the file and with the files that it names, and with nothing else', async () => {
    const folder = await temporaryFolder({
      'rows.jsonl': '{"prompt":"p","files":{"a":{"host_path":"a.txt"}}}\n',
      'a.txt': '1',
      'other.txt': '1',
    });
    const path = join(folder, 'rows.jsonl');
    const print = async () => await (await openPath(path)).fingerprint?.();
    const first = await print();
    await writeFile(join(folder, 'other.txt'), '2');
    await utimes(path, 1, 1);
    expect(await print()).toBe(first);
    await writeFile(join(folder, 'a.txt'), '22');
    const second = await print();
    expect(second).not.toBe(first);
    await rm(join(folder, 'a.txt'));
    expect(await print()).not.toBe(second);
    await putFiles(folder, { 'rows.jsonl': '{"prompt":"q"}\n' });
    expect(await print()).not.toBe(second);
  });
});

describe('opening', () => {
  it.each([
    [null, {}, /needs a `path`/],
    [
      '/no/such/file.jsonl',
      {},
      /cannot be read: there is no such file or folder\. A relative path/,
    ],
    ['/tmp', {}, /is a folder/],
    ['/tmp', { options: { colum: 'x' } }, /no option `colum`/],
  ])('%s is refused with a sentence that says why', async (path, changes, message) => {
    await expect(openPath(path, changes)).rejects.toThrow(message);
  });

  it('a named pipe is refused at once, as a data set and as a file of a row', async () => {
    const folder = await temporaryFolder({
      'rows.jsonl': '{"prompt":"a","files":{"in.txt":{"host_path":"pipe"}}}\n',
    });
    expect(spawnSync('mkfifo', [join(folder, 'pipe')]).status).toBe(0);
    await expect(openPath(join(folder, 'pipe'))).rejects.toThrow(/is a pipe/);
    await expect(openPath(join(folder, 'rows.jsonl')).then(all)).rejects.toThrow(/is not a file/);
  });
});

import { execFileSync } from 'node:child_process';
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Format } from '../../datasets/format.js';
import { hermes } from '../../datasets/formats/hermes.js';
import { records } from '../../datasets/formats/records.js';
import { writeExport } from '../../datasets/write-export.js';
import type { RolloutRecord } from '../../src/rollout/record.js';
import { assistant, recordWith, sampleRecord, stream } from './sample-record.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const options = { systemPreamble: null, onFlag: () => undefined };

it('writes all rows to the final name and says how many there are and how many are flagged', async () => {
  const path = join(folder, 'new', 'deep', 'rows.jsonl');
  const told: string[] = [];
  const tagged = recordWith(assistant({ content: '<think>', reasoning: '<think>' }));
  const result = await writeExport({
    format: hermes,
    records: stream([
      sampleRecord(),
      tagged,
      { ...tagged, sample: 1 },
      sampleRecord({ status: 'failed' }),
    ]),
    path,
    options: { ...options, onFlag: (_key, sample, flag) => told.push(`${sample}:${flag}`) },
  });
  expect(result).toEqual({ rows: 3, flagged: 2, path });
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(4);
  expect(told).toHaveLength(4);
  expect(await readdir(join(folder, 'new', 'deep'))).toEqual(['rows.jsonl']);
});

it('writes an empty file for no rows', async () => {
  const path = join(folder, 'none.jsonl');
  const result = await writeExport({ format: hermes, records: stream([]), path, options });
  expect(result).toMatchObject({ rows: 0, flagged: 0 });
  expect(await readFile(path, 'utf8')).toBe('');
});

it('replaces an earlier export only when the new one is complete, and leaves no other file when it fails', async () => {
  const path = join(folder, 'rows.jsonl');
  await writeFile(path, 'earlier\n');
  async function* broken(): AsyncGenerator<RolloutRecord> {
    yield recordWith(assistant({ content: 'x'.repeat(3_000_000) }));
    expect(await readFile(path, 'utf8')).toBe('earlier\n');
    throw new Error('the store is gone');
  }
  const failing = writeExport({ format: records, records: broken(), path, options });
  await expect(failing).rejects.toThrow('the store is gone');
  expect(await readdir(folder)).toEqual(['rows.jsonl']);
  expect(await readFile(path, 'utf8')).toBe('earlier\n');
  await writeExport({ format: records, records: stream([sampleRecord()]), path, options });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(sampleRecord());
});

it('does not ask for more than the disk has taken', async () => {
  const megabyte = 'x'.repeat(1_048_576);
  const unwritten: number[] = [];
  const large: Format = {
    ...records,
    async *encode() {
      for (let sent = 0; sent < 20; sent += 1) {
        const [file] = await readdir(folder);
        unwritten.push(sent * megabyte.length - (await stat(join(folder, file ?? ''))).size);
        yield megabyte;
      }
    },
  };
  await writeExport({ format: large, records: stream([]), path: join(folder, 'large'), options });
  expect(Math.max(...unwritten)).toBeLessThanOrEqual(megabyte.length);
});

it('stops reading the records when the export fails', async () => {
  let closed = false;
  async function* endless(): AsyncGenerator<RolloutRecord> {
    try {
      for (;;) {
        yield sampleRecord();
      }
    } finally {
      closed = true;
    }
  }
  const broken: Format = {
    ...records,
    async *encode(source) {
      for await (const record of source) {
        yield record.run;
        throw new Error('a bug in the format');
      }
    },
  };
  const failing = writeExport({
    format: broken,
    records: endless(),
    path: join(folder, 'x'),
    options,
  });
  await expect(failing).rejects.toThrow('a bug in the format');
  expect(closed).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

it('writes to the file that a link leads to, and leaves the link', async () => {
  await mkdir(join(folder, 'elsewhere'));
  const real = join(folder, 'elsewhere', 'rows.jsonl');
  await writeFile(real, 'earlier\n');
  const path = join(folder, 'link.jsonl');
  await symlink(real, path);
  const result = await writeExport({ format: hermes, records: stream([]), path, options });
  expect(result.path).toBe(path);
  expect(await readFile(real, 'utf8')).toBe('');
  expect((await lstat(path)).isSymbolicLink()).toBe(true);
});

it('refuses what is no file before it reads a record, and does not replace it', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const unread = () => {
    throw new Error('a record was read');
  };
  const never: AsyncIterable<RolloutRecord> = { [Symbol.asyncIterator]: unread };
  for (const [path, message] of [
    [folder, /is a folder\. Give the name of a file in it/],
    [pipe, /is a pipe or a device.*--out - writes to stdout/],
  ] as const) {
    const failing = writeExport({ format: records, records: never, path, options });
    await expect(failing).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  }
  expect((await lstat(pipe)).isFIFO()).toBe(true);
  expect(await readdir(folder)).toEqual(['pipe']);
});

it('is given up by its signal, also where no record ever waits, and leaves nothing', async () => {
  async function* endless(): AsyncGenerator<RolloutRecord> {
    for (;;) {
      yield sampleRecord({ status: 'failed' });
    }
  }
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('Ctrl-C')), 5);
  const failing = writeExport({
    format: hermes,
    records: endless(),
    path: join(folder, 'rows.jsonl'),
    options,
    signal: abort.signal,
  });
  await expect(failing).rejects.toThrow('Ctrl-C');
  expect(await readdir(folder)).toEqual([]);
});

it('names the path when it cannot write there', async () => {
  const source = () => stream([sampleRecord()]);
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'taken'));
  for (const path of [join(folder, 'file', 'rows.jsonl'), join(folder, 'taken')]) {
    const failing = writeExport({ format: records, records: source(), path, options });
    await expect(failing).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(path),
    });
  }
  expect((await readdir(folder)).sort()).toEqual(['file', 'taken']);
});

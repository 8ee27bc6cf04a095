import { describe, expect, test } from 'vitest';
import { TalariaError } from '../../../../src/errors.js';
import { readFile } from '../../../../src/tools/builtin/read-file.js';
import { callTool } from '../helpers/call-tool.js';
import { LocalSession } from '../helpers/local-session.js';
import { MemorySession } from '../helpers/memory-session.js';

const withFile = (content: string | Uint8Array) => {
  const sandbox = new MemorySession();
  sandbox.files.set('f', Buffer.from(content));
  return { sandbox };
};

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe('a file is read', () => {
  test('with its lines numbered', async () => {
    const { value, ok } = await callTool(readFile, { path: 'f' }, withFile('a\n\n  b\n'));
    expect(ok).toBe(true);
    expect(value).toEqual({
      content: '1|a\n2|\n3|  b',
      total_lines: 3,
      file_size: 7,
      truncated: false,
    });
  });

  test.each([
    ['', '', 0],
    ['\n', '1|', 1],
    ['a', '1|a', 1],
    ['a\r\nb\r\n', '1|a\n2|b', 2],
    ['\uFEFFa', '1|\uFEFFa', 1],
  ])('%j as %j', async (content, expected, total) => {
    const { value } = await callTool(readFile, { path: 'f' }, withFile(content));
    expect(value).toMatchObject({ content: expected, total_lines: total });
  });

  test('page by page, each hint leading to the next page until the end', async () => {
    const context = withFile(numbers(1_203).join('\n'));
    const pages: string[] = [];
    let offset = 1;
    for (let page = 0; page < 10; page += 1) {
      const { value } = await callTool(readFile, { path: 'f', offset }, context);
      pages.push(String(value['content']));
      if (value['truncated'] !== true) {
        break;
      }
      offset = Number(/offset=(\d+)/.exec(String(value['hint']))?.[1]);
    }
    expect(pages.length).toBe(3);
    expect(pages.join('\n').split('\n')).toEqual(
      numbers(1_203).map((line, index) => `${index + 1}|${line}`),
    );
  });

  test('from a line on, a few lines', async () => {
    const args = { path: 'f', offset: 3, limit: 2 };
    const { value } = await callTool(readFile, args, withFile(numbers(9).join('\n')));
    expect(value).toMatchObject({
      content: '3|line 3\n4|line 4',
      truncated: true,
      hint: 'Lines 3 to 4 of 9. Go on with offset=5.',
    });
  });

  test('with long lines cut at 2,000 characters, never within one', async () => {
    const { value } = await callTool(readFile, { path: 'f' }, withFile(`${'🎉'.repeat(3_000)}\nb`));
    expect(value['content']).toBe(`1|${'🎉'.repeat(2_000)} [line cut: 3000 characters]\n2|b`);
  });

  test('up to 50,000 characters, and the hint goes on from there', async () => {
    const context = withFile(Array.from({ length: 100 }, () => 'x'.repeat(1_500)).join('\n'));
    const { value } = await callTool(readFile, { path: 'f' }, context);
    expect(String(value['content']).length).toBeLessThanOrEqual(50_000);
    expect(value).toMatchObject({
      truncated: true,
      hint: 'Lines 1 to 33 of 100. Go on with offset=34.',
    });
  });

  test('with a warning when it is not UTF-8', async () => {
    const { value, ok } = await callTool(
      readFile,
      { path: 'f' },
      withFile(Buffer.from('caf\xe9', 'latin1')),
    );
    expect(ok).toBe(true);
    expect(value['content']).toBe('1|caf\uFFFD');
    expect(value['warning']).toContain('UTF-8');
  });
});

describe('a file is not read', () => {
  test('when it is binary', async () => {
    const { ok, value } = await callTool(readFile, { path: 'f' }, withFile('ELF\0\x01'));
    expect(ok).toBe(false);
    expect(value['error']).toMatch(/f is a binary file/);
  });

  test('when the offset is behind its end', async () => {
    const { ok, value } = await callTool(readFile, { path: 'f', offset: 9 }, withFile('a\nb'));
    expect(ok).toBe(false);
    expect(value).toEqual({ error: 'f has 2 lines; offset 9 is behind its end.', total_lines: 2 });
  });

  test('when it does not exist; names beside it that are like it are shown', async () => {
    const sandbox = new LocalSession();
    for (const name of ['src/Config.yaml', 'src/config.yml', 'src/confgi.yaml', 'src/other.txt']) {
      sandbox.put(name, '');
    }
    const { ok, value } = await callTool(readFile, { path: 'src/config.yaml' }, { sandbox });
    expect(ok).toBe(false);
    expect(value['similar_files']).toEqual([
      'src/Config.yaml',
      'src/confgi.yaml',
      'src/config.yml',
    ]);
    expect(value['error']).toContain('No such file: src/config.yaml. Similar: src/Config.yaml');
    const lost = await callTool(readFile, { path: "no/such 'folder'/x" }, { sandbox });
    expect(lost.value).toEqual({ error: "No such file: no/such 'folder'/x" });
  });

  test('when it is a directory', async () => {
    const sandbox = new LocalSession();
    sandbox.put('d/x', '');
    const { ok, value } = await callTool(readFile, { path: 'd' }, { sandbox });
    expect(ok).toBe(false);
    expect(value['error']).toMatch(/^Cannot read d: .*EISDIR/);
  });

  test('and a sandbox that is gone is passed on to dispatch', async () => {
    const gone = new TalariaError({ code: 'sandbox_unavailable', message: 'gone' });
    const sandbox = new MemorySession();
    sandbox.read = () => Promise.reject(gone);
    await expect(callTool(readFile, { path: 'f' }, { sandbox })).rejects.toBe(gone);
  });
});

describe('a large file', () => {
  const line = (number: number) => `${number} ${'é'.repeat(60)}`;
  const large = `${Array.from({ length: 20_000 }, (_, index) => line(index + 1)).join('\n')}`;

  test.each([
    ['from its end', large, 20_000],
    ['with a last line end', `${large}\n`, 20_000],
  ])('is read anywhere, %s', async (_name, content, total) => {
    const sandbox = new LocalSession();
    sandbox.put("big 'file'.txt", content);
    const args = { path: "big 'file'.txt", offset: 19_999 };
    const { value } = await callTool(readFile, args, { sandbox });
    expect(value).toEqual({
      content: `19999|${line(19_999)}\n20000|${line(20_000)}`,
      total_lines: total,
      file_size: Buffer.byteLength(content),
      truncated: false,
    });
    const behind = await callTool(readFile, { ...args, offset: 20_001 }, { sandbox });
    expect(behind.ok).toBe(false);
  });

  test('of one endless line is shown by its beginning', async () => {
    const sandbox = new LocalSession();
    sandbox.put('one', 'é'.repeat(2_000_000));
    const { value, ok } = await callTool(readFile, { path: 'one' }, { sandbox });
    expect(ok).toBe(true);
    expect(value).toMatchObject({ total_lines: 1, truncated: false });
    expect(String(value['content'])).toMatch(/^1\|é{2000} \[line cut/);
    expect(value).not.toHaveProperty('warning');
  });

  test('with a window of more than a megabyte ends at a whole line', async () => {
    const sandbox = new LocalSession();
    sandbox.put('wide', `${`${'é'.repeat(30_000)}\n`.repeat(60)}`);
    const { value } = await callTool(readFile, { path: 'wide' }, { sandbox });
    expect(value).toMatchObject({ total_lines: 60, truncated: true });
    expect(value['hint']).toBe('Lines 1 to 16 of 60. Go on with offset=17.');
  });
});

test('a path below the home directory is found', async () => {
  const sandbox = new LocalSession();
  sandbox.put('a/b', 'x');
  const { value } = await callTool(readFile, { path: '~/a/b' }, { sandbox });
  expect(value['content']).toBe('1|x');
});

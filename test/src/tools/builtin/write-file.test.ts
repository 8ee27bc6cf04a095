import { expect, test } from 'vitest';
import { writeFile } from '../../../../src/tools/builtin/write-file.js';
import { callTool } from '../helpers/call-tool.js';
import { LocalSession } from '../helpers/local-session.js';
import { MemorySession } from '../helpers/memory-session.js';

test('a file is written with its directories, and the size is in bytes', async () => {
  const sandbox = new LocalSession();
  const args = { path: "a dir/it's/f.txt", content: 'é\n$HOME `id`\n' };
  const { ok, value } = await callTool(writeFile, args, { sandbox });
  expect(ok).toBe(true);
  expect(value).toEqual({ path: args.path, bytes_written: 14 });
  expect(sandbox.get(args.path)).toBe(args.content);
});

test('an empty file can be written, and half a character becomes a replacement', async () => {
  const sandbox = new MemorySession();
  await callTool(writeFile, { path: 'e', content: '' }, { sandbox });
  await callTool(writeFile, { path: 'h', content: 'a\ud83c' }, { sandbox });
  expect(sandbox.files.get('e')?.length).toBe(0);
  expect(sandbox.files.get('h')?.toString()).toBe('a\uFFFD');
});

test('a path that cannot be written is a failure that says why', async () => {
  const sandbox = new LocalSession();
  sandbox.put('d/x', '');
  const { ok, value } = await callTool(writeFile, { path: 'd', content: '' }, { sandbox });
  expect(ok).toBe(false);
  expect(value['error']).toMatch(/^Cannot write d: /);
});

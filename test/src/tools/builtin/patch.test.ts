import { describe, expect, test } from 'vitest';
import { patch } from '../../../../src/tools/builtin/patch.js';
import { callTool } from '../helpers/call-tool.js';
import { LocalSession } from '../helpers/local-session.js';
import { MemorySession } from '../helpers/memory-session.js';

const edit = async (before: string | Uint8Array, args: Record<string, string | boolean>) => {
  const sandbox = new MemorySession();
  sandbox.files.set('f', Buffer.from(before));
  const result = await callTool(patch, { path: 'f', ...args }, { sandbox });
  return { ...result, after: sandbox.files.get('f')?.toString() };
};

test('a passage is replaced, and the answer shows the change', async () => {
  const before = 'one\ntwo\nthree\nfour\nfive\nsix\n';
  const { ok, value, after } = await edit(before, {
    mode: 'replace',
    old_string: 'four',
    new_string: '4\n4.5',
  });
  expect(ok).toBe(true);
  expect(after).toBe('one\ntwo\nthree\n4\n4.5\nfive\nsix\n');
  expect(value).toEqual({
    success: true,
    diff: '--- a/f\n+++ b/f\n@@ -1,7 +1,8 @@\n one\n two\n three\n-four\n+4\n+4.5\n five\n six\n ',
    files_modified: ['f'],
  });
});

describe('nothing is written', () => {
  test.each<[string, Record<string, string | boolean>, RegExp]>([
    ['a a', { old_string: 'a', new_string: 'b' }, /2 matches \(at lines 1, 1\)/],
    ['a\nb\na\n', { old_string: 'a\n', new_string: '' }, /2 matches \(at lines 1, 3\)/],
    ['a', { old_string: 'zzz', new_string: 'b' }, /not found/],
    ['a', { old_string: '', new_string: 'b' }, /empty.*write_file/],
    ['a', { old_string: 'a', new_string: 'a' }, /equal/],
  ])('to %j by %j', async (before, args, message) => {
    const { ok, value, after } = await edit(before, args);
    expect(ok).toBe(false);
    expect(value['error']).toMatch(message);
    expect(after).toBe(before);
  });

  test('to a file that is not UTF-8, or binary', async () => {
    const latin = await edit(Buffer.from('caf\xe9 x', 'latin1'), {
      old_string: 'x',
      new_string: 'y',
    });
    expect(latin.value['error']).toMatch(/not UTF-8/);
    const binary = await edit('x\0', { old_string: 'x', new_string: 'y' });
    expect(binary.value['error']).toMatch(/binary/);
  });

  test('to a file that does not exist', async () => {
    const sandbox = new LocalSession();
    sandbox.put('main.py', '');
    const args = { path: 'mian.py', old_string: 'a', new_string: 'b' };
    const { ok, value } = await callTool(patch, args, { sandbox });
    expect(ok).toBe(false);
    expect(value['similar_files']).toEqual(['main.py']);
  });
});

test('every occurrence is replaced on demand, and counted', async () => {
  const args = { old_string: 'a', new_string: 'aa', replace_all: true };
  const { value, after } = await edit('a b a\n', args);
  expect(after).toBe('aa b aa\n');
  expect(value['replacements']).toBe(2);
});

test('a passage found in spite of its indentation is replaced with the indentation of the file, and the answer says so', async () => {
  const sandbox = new LocalSession();
  sandbox.put('m.py', 'class A:\n    def f(self):\n        return 1\n');
  const { value } = await callTool(
    patch,
    {
      path: 'm.py',
      old_string: 'def f(self):\n    return 1',
      new_string: 'def f(self):\n    if x:\n        return 2',
    },
    { sandbox },
  );
  expect(sandbox.get('m.py')).toBe(
    'class A:\n    def f(self):\n        if x:\n            return 2\n',
  );
  expect(value['note']).toBe('Found with indentation ignored.');
});

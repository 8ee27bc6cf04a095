import { describe, expect, test } from 'vitest';
import { replaceText } from '../../../../src/tools/files/replace-text.js';
import { unifiedDiff } from '../../../../src/tools/files/unified-diff.js';

const replace = (text: string, oldText: string, newText: string, replaceAll = false) =>
  replaceText({ text, oldText, newText, replaceAll });

describe('a passage is found', () => {
  test.each([
    ['exactly, within a line', 'x = 1;', '1', '2', 'x = 2;', 'exact'],
    ['exactly, before looser rules', 'a \na', 'a \n', 'b\n', 'b\na', 'exact'],
    ['with patterns taken as they are', 'a.c abc', 'a.c', '$&', '$& abc', 'exact'],
    [
      'in spite of white space at line ends',
      'a  \nb\t\nc',
      'a\nb',
      'x',
      'x\nc',
      'trailing white space ignored',
    ],
    [
      'in spite of white space at its own line ends',
      'a\nb\nc\n',
      'a  \nb \n',
      'x\n',
      'x\nc\n',
      'trailing white space ignored',
    ],
    [
      'at the end of a file without a line end',
      'a\nb',
      'b \n',
      'c\n',
      'a\nc\n',
      'trailing white space ignored',
    ],
    [
      'with too little indentation',
      '\tif a:\n\t\tb\n',
      'if a:\n\tb',
      'if c:\n\td\n\t\te',
      '\tif c:\n\t\td\n\t\t\te\n',
      'indentation ignored',
    ],
    [
      'with too much indentation',
      'if a:\n  b\n',
      '    if a:\n      b\n',
      '    if c:\n      d\n',
      'if c:\n  d\n',
      'indentation ignored',
    ],
    [
      'with spaces for tabs',
      'x\n\tif a:\n\t\tb\n',
      '    if a:\n        b',
      '    if a:\n        c',
      'x\n\tif a:\n\t\tc\n',
      'indentation ignored',
    ],
    [
      'with blank lines between',
      '  a\n\n  b\n',
      'a\n\nb',
      'c\n\nd',
      '  c\n\n  d\n',
      'indentation ignored',
    ],
    [
      'with new text that is shallower and moves along',
      '        if a:\n            b\n',
      '    if a:\n        b',
      'x\n    if a:\n        c',
      '    x\n        if a:\n            c\n',
      'indentation ignored',
    ],
  ])('%s', (_name, text, oldText, newText, expected, kind) => {
    expect(replace(text, oldText, newText)).toMatchObject({ ok: true, text: expected, kind });
  });

  test.each([
    ['when another structure has the same words', 'if a:\n    b\nc\n', '  if a:\n  b\n'],
    ['when only white space is asked for', 'a\nb', '\t\n'],
    ['when lines are in another order', 'a\nb\n', 'b\na'],
  ])('not %s', (_name, text, oldText) => {
    expect(replace(text, oldText, 'x')).toMatchObject({ ok: false });
  });

  test('twice by the looser rules too, which is a problem', () => {
    expect(replace('  a\n  b\n    a\n    b\n', 'a\nb', 'x')).toEqual({
      ok: false,
      problem: expect.stringContaining('2 matches (at lines 1, 3)'),
    });
    expect(replace('  a\n  b\n    a\n    b\n', 'a\nb', 'x', true)).toMatchObject({
      text: '  x\n    x\n',
    });
  });
});

test('a file with CRLF line ends keeps them, whatever the passage has', () => {
  expect(replace('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny')).toMatchObject({ text: 'x\r\ny\r\nc\r\n' });
  expect(replace('a\r\nb\r\n', 'a\r\nb', 'x\r\ny')).toMatchObject({ text: 'x\r\ny\r\n' });
  expect(replace('a\r\nb\n', 'a\nb', 'x')).toMatchObject({ text: 'x\n' });
});

test('a passage that is nearly there gets a hint where it begins', () => {
  expect(
    replace('x\nfunction one() {\n  return 1;\n', 'function one() {\n  return 2;', 'y'),
  ).toEqual({
    ok: false,
    problem: expect.stringContaining('first line occurs at line 2'),
  });
});

describe('a diff', () => {
  const diffOf = (text: string, oldText: string, newText: string) => {
    const result = replace(text, oldText, newText, true);
    return result.ok ? unifiedDiff('f', text, result.edits).split('\n').slice(2) : [];
  };
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`);

  test('of far edits has a hunk for each, with the later one shifted', () => {
    const text = lines(30).join('\n').replace('5', 'a').replace('25', 'a');
    expect(diffOf(text, 'a', 'b\nc')).toEqual([
      '@@ -2,7 +2,8 @@',
      ' 2',
      ' 3',
      ' 4',
      '-a',
      '+b',
      '+c',
      ' 6',
      ' 7',
      ' 8',
      '@@ -22,7 +23,8 @@',
      ' 22',
      ' 23',
      ' 24',
      '-a',
      '+b',
      '+c',
      ' 26',
      ' 27',
      ' 28',
    ]);
  });

  test('of near edits has one hunk', () => {
    expect(diffOf('a\nx\na\n', 'a', 'b')).toEqual([
      '@@ -1,4 +1,4 @@',
      '-a',
      '-x',
      '-a',
      '+b',
      '+x',
      '+b',
      ' ',
    ]);
  });

  test('of lines that go away has only their removal', () => {
    expect(diffOf('1\n2\n3', '2\n', '')).toEqual(['@@ -1,3 +1,2 @@', ' 1', '-2', ' 3']);
  });
});

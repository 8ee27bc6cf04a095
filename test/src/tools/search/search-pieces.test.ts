import { describe, expect, test } from 'vitest';
import { toExtendedPattern } from '../../../../src/tools/search/extended-pattern.js';
import { expandBraces, globMatcher } from '../../../../src/tools/search/glob.js';
import {
  parseCounts,
  parseMatches,
  parsePaths,
} from '../../../../src/tools/search/parse-matches.js';
import { selectMatches } from '../../../../src/tools/search/select-matches.js';

describe('a glob', () => {
  test.each([
    ['*.py', 'a.py', true],
    ['*.py', 'deep/er/a.py', true],
    ['*.py', 'a.pyc', false],
    ['*config*', 'src/my-config.yaml', true],
    ['?.c', 'a.c', true],
    ['?.c', 'ab.c', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'x/src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/*.ts', 'a.ts', true],
    ['./src/*', 'src/a', true],
    ['src/**', 'src/a/b', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['*.{ts,tsx}', 'a.js', false],
    ['[ab].txt', 'b.txt', true],
    ['[!ab].txt', 'b.txt', false],
    ['[a-c]', 'd', false],
    ['a+b(c).txt', 'a+b(c).txt', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['[', '[', true],
    ['*', '.hidden', true],
    ['.*', 'x/.env', true],
  ])('%s with %s: %s', (glob, path, expected) => {
    expect(globMatcher(glob)(path)).toBe(expected);
  });

  test('with braces in braces is spelled out, and one that doubles without end is not', () => {
    expect(expandBraces('{a,b{1,2}}')).toEqual(['a', 'b1', 'b2']);
    expect(expandBraces('{a,b}'.repeat(40)).length).toBeLessThanOrEqual(100);
  });
});

test.each([
  ['\\d+', '[0-9]+'],
  ['[\\d.]+', '[0-9.]+'],
  ['\\s\\S\\w\\W', '[[:space:]][^[:space:]][[:alnum:]_][^[:alnum:]_]'],
  ['(?:a|b)', '(a|b)'],
  ['a\\.b\\(', 'a\\.b\\('],
  ['[]a\\]]', '[]a]]'],
  ['[^]\\w]', '[^][:alnum:]_]'],
  ['a\\tb', 'a\tb'],
  ['\\\\d', '\\\\d'],
])('the pattern %s is %s for a plain grep', (pattern, expected) => {
  expect(toExtendedPattern(pattern)).toBe(expected);
});

describe('what is printed is read back', () => {
  test('with NUL behind the path, whatever the path has in it', () => {
    expect(parseMatches('./a:1-x\x0012:text: 1\r\nb\x0013-near\n--\ngarbage\n')).toEqual([
      { path: 'a:1-x', line: 12, content: 'text: 1', isContext: false },
      { path: 'b', line: 13, content: 'near', isContext: true },
    ]);
  });

  test('without NUL', () => {
    expect(parseMatches('a-1-b.c:5:x:y\na.c-6-near\n')).toEqual([
      { path: 'a-1-b.c', line: 5, content: 'x:y', isContext: false },
      { path: 'a.c', line: 6, content: 'near', isContext: true },
    ]);
  });

  test('without NUL, and without the content of binary files', () => {
    expect(parseMatches('a:1:text\nb:1:te\0xt\n').map(({ path }) => path)).toEqual(['a']);
  });

  test('paths and counts', () => {
    expect(parsePaths('./a b\0c\0')).toEqual(['a b', 'c']);
    expect(parsePaths('./a\nb\n')).toEqual(['a', 'b']);
    expect(Object.fromEntries(parseCounts('a\x003\n/dev/null\x000\nb:2\n'))).toEqual({
      a: 3,
      b: 2,
    });
  });
});

test('a page of matches comes with its own context only', () => {
  const line = (path: string, number: number, isContext: boolean) => ({
    path,
    line: number,
    content: '',
    isContext,
  });
  const lines = [
    line('b', 1, false),
    line('a', 4, true),
    line('a', 5, false),
    line('a', 6, true),
    line('a', 8, true),
    line('a', 9, false),
  ];
  const shown = selectMatches(lines, { offset: 1, limit: 1, context: 1 });
  expect(shown.map(({ path, line: number }) => `${path}${number}`)).toEqual(['a8', 'a9']);
  expect(selectMatches(lines, { offset: 0, limit: 9, context: 0 }).map((one) => one.path)).toEqual([
    'a',
    'a',
    'b',
  ]);
});

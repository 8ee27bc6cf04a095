import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellQuote, shellQuotePath, shellScript } from '../../../src/text/shell-quote.js';

const hostile = [
  '',
  'plain-word_1.txt',
  'two words',
  "it's",
  "'",
  "''\\''",
  '"$HOME"',
  '$(touch /tmp/never) `id` ; & | > <',
  'back\\slash\\',
  'line\nbreak\ttab',
  '*?[a-z]{a,b}~!#',
  '-rf',
  'ünïcödé 🎉',
];

test.each(hostile)('a shell reads %j back as it was', (text) => {
  const output = execFileSync('sh', ['-c', `printf '%s|' ${shellQuote(text)} end`], {
    encoding: 'utf8',
  });
  expect(output).toBe(`${text}|end|`);
});

test('a NUL, which no argument can hold, is dropped', () => {
  expect(shellQuote('a\0b c')).toBe("'ab c'");
});

test('a path that begins with a dash is no option', () => {
  expect(shellQuotePath('-n')).toBe('./-n');
  expect(shellQuotePath('a b')).toBe("'a b'");
});

test('arguments reach a script as they are', () => {
  const command = shellScript('printf "%s|" "$@"', hostile);
  const output = execFileSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(output).toBe(`${hostile.join('|')}|`);
});

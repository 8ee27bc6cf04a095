import { expect, test } from 'vitest';
import { plainText } from '../../../src/text/plain-text.js';

test.each([
  ['plain', 'plain'],
  ['\x1b[31mred\x1b[0m', 'red'],
  ['\x1b[1;38;5;200mx\x1b[K', 'x'],
  ['\x1b[?25lx\x1b[2 qy', 'xy'],
  ['\x1b]0;title\x07after', 'after'],
  ['\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['\x1bP1;2|data\x1b\\x', 'x'],
  ['\x9b31mred', 'red'],
  ['\x1b(Bx\x1b=', 'x'],
  ['a\x00b\x08c\x7f', 'abc'],
  ['tab\tline\r\nend', 'tab\tline\r\nend'],
  ['\x1b', ''],
  ['[31m is text', '[31m is text'],
  ['ünï 🎉', 'ünï 🎉'],
])('%j is shown as %j', (text, expected) => {
  expect(plainText(text)).toBe(expected);
});

test('unfinished sequences in bulk do not take quadratic time', () => {
  expect(plainText('\x1b]'.repeat(200_000)).length).toBeLessThan(400_000);
  expect(plainText(`\x1bP${'x'.repeat(1_000_000)}`)).toContain('xxx');
});

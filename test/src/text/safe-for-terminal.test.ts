import { describe, expect, it } from 'vitest';
import { safeForTerminal } from '../../../src/text/safe-for-terminal.js';

describe('safeForTerminal', () => {
  it('leaves words, tabs, line breaks, accents and emoji alone', () => {
    const text = 'total\t12\nnaïve 漢字 😀\n';
    expect(safeForTerminal(text)).toBe(text);
  });

  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a window title', '\u001b]0;owned\u0007text', 'text'],
    ['a clipboard write', '\u001b]52;c;ZXZpbA==\u001b\\text', 'text'],
    ['a link', '\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['an 8 bit sequence', '\u009b2Jtext', 'text'],
    ['a device control string', '\u001bP+q544e\u001b\\text', 'text'],
    ['a carriage return that would hide a line', 'good\rbad', 'goodbad'],
    ['a backspace', 'ab\u0008c', 'abc'],
    ['a bell and a null', 'a\u0007b\u0000c', 'abc'],
    ['a right-to-left override', 'x\u202egnp.exe', 'xgnp.exe'],
    ['direction isolates and marks', 'a\u2066b\u2069\u200e\u200f\u061cc', 'abc'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['an escape at the very end', 'text\u001b', 'text'],
    ['Windows line ends', 'a\r\nb', 'a\nb'],
  ])('removes %s', (_what, text, expected) => {
    expect(safeForTerminal(text)).toBe(expected);
  });

  it('leaves nothing live where removing one sequence would make another', () => {
    const nested = safeForTerminal('\u001b\u001b[0m[31m\u001b\u0000[2J\u009b\u009b1m');
    const controls = [...nested].filter((character) => character < ' ' || character === '\u009b');
    expect(controls).toEqual([]);
  });

  it('takes linear time on sequences that never end', () => {
    const text = `${'\u001b]'.repeat(500_000)}${'x'.repeat(500_000)}${'\u001b[1;'.repeat(500_000)}`;
    expect(safeForTerminal(text)).toBe('x'.repeat(500_000));
  });
});

import { describe, expect, it } from 'vitest';
import { stripAnsi } from '../../../src/text/strip-ansi.js';

describe('stripAnsi', () => {
  it.each([
    ['colours', '\u001b[1;38;2;255;0;0mred\u001b[m', 'red'],
    ['cursor movement', 'a\u001b[2Kb\u001b[10;3Hc', 'abc'],
    ['private modes', '\u001b[?25l\u001b[?1049htext', 'text'],
    ['a title ended by a bell', '\u001b]2;title\u0007text', 'text'],
    ['a title ended by a string terminator', '\u001b]2;title\u001b\\text', 'text'],
    ['character sets', '\u001b(Btext\u001b)0', 'text'],
    ['short escapes', '\u001b7text\u001b8\u001bM\u001bc', 'text'],
    ['a sequence that was cut off', 'text\u001b[38;5', 'text'],
  ])('removes %s', (_what, text, expected) => {
    expect(stripAnsi(text)).toBe(expected);
  });

  it('does not lose the rest of the text to a title that never ends', () => {
    expect(stripAnsi('\u001b]0;all of this stays')).toBe('0;all of this stays');
  });

  it('keeps carriage returns, tabs and text that only looks like a sequence', () => {
    expect(stripAnsi('10%\r20%\t[31m')).toBe('10%\r20%\t[31m');
  });
});

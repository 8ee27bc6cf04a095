import { expect, it } from 'vitest';
import { oneLine } from '../../../src/text/one-line.js';

it.each([
  ['a short text stays', 'count', 'count'],
  ['white space becomes one space', ' a\n\n\tb\r\n ', 'a b'],
  ['escape sequences go', 'a\u001b[31m\nb\u009b2J', 'a b'],
  ['a long text is cut', 'x'.repeat(30), `${'x'.repeat(19)}…`],
  ['a text of megabytes is cut', 'x'.repeat(5_000_000), `${'x'.repeat(19)}…`],
  ['what only the limit of reading cut off is told of', ' '.repeat(1000), '…'],
  ['an emoji is not cut in two', `${'x'.repeat(18)}😀😀`, `${'x'.repeat(18)}\ufffd…`],
])('%s', (_what, text, expected) => {
  expect(oneLine(text, 20)).toBe(expected);
});

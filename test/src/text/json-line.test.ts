import { expect, it } from 'vitest';
import { jsonLine } from '../../../src/text/json-line.js';

it('holds nothing that a terminal obeys or a reader takes for the end of a line, and means the same', () => {
  const characters = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join('');
  const value = { [`k${characters}`]: [`\u2028\u2029${characters}`, 'naïve 漢字 😀'] };
  const text = jsonLine(value);
  const shown = [...text].filter((character) => /[\p{Cc}\u2028\u2029]/u.test(character));
  expect(shown).toEqual([]);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toContain('naïve 漢字 😀');
});

it('may be indented', () => {
  expect(jsonLine({ a: '\u009b' }, 2)).toBe('{\n  "a": "\\u009b"\n}');
});

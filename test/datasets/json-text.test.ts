import { expect, it } from 'vitest';
import { jsonText } from '../../datasets/json-text.js';

it('escapes the characters at which some readers cut lines', () => {
  const { text } = jsonText('a\u0085b\u2028c\u2029d');
  expect(text).toBe('"a\\u0085b\\u2028c\\u2029d"');
  expect(JSON.parse(text)).toBe('a\u0085b\u2028c\u2029d');
});

it('replaces lone surrogates in keys and values, and leaves pairs and written escapes alone', () => {
  expect(jsonText({ 'k\udc00': ['\ud83d', '😀'] })).toEqual({
    text: '{"k\ufffd":["\ufffd","😀"]}',
    repaired: true,
  });
  const written = { a: '\\ud800', b: '\\\\udfff' };
  const { text, repaired } = jsonText(written);
  expect(repaired).toBe(false);
  expect(JSON.parse(text)).toEqual(written);
  expect(jsonText('\\\ud800')).toEqual({ text: '"\\\\\ufffd"', repaired: true });
});

import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../../src/models/parse-retry-after.js';

const now = Date.parse('2030-01-01T00:00:00Z');

test.each([
  ['seconds', { 'retry-after': '7' }, 7_000],
  ['parts of a second', { 'retry-after': '0.25' }, 250],
  ['a date', { 'retry-after': 'Tue, 01 Jan 2030 00:00:09 GMT' }, 9_000],
  ['milliseconds before seconds', { 'retry-after-ms': '120', 'retry-after': '7' }, 120],
  ['nothing for a date in the past', { 'retry-after': 'Mon, 01 Jan 2029 00:00:00 GMT' }, null],
  ['nothing for zero', { 'retry-after': '0' }, null],
  ['nothing for a negative number', { 'retry-after': '-3' }, null],
  ['nothing for nonsense', { 'retry-after': 'soon' }, null],
  ['nothing without a header', {}, null],
])('reads %s', (_what, headers: Record<string, string>, expected) => {
  expect(parseRetryAfter(new Headers(headers), now)).toBe(expected);
});

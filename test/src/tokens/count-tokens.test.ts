import { expect, test } from 'vitest';
import { countTokens } from '../../../src/tokens/count-tokens.js';
import { estimateTokens } from '../../../src/tokens/estimate-tokens.js';
import { hasLongRun } from '../../../src/tokens/has-long-run.js';

function slicesOf(text: string): string[] {
  const seen: string[] = [];
  countTokens(text, (part) => {
    seen.push(part);
    return 1;
  });
  return seen;
}

test('text with breaks is counted in one piece, however long it is', () => {
  expect(slicesOf('word '.repeat(10_000))).toHaveLength(1);
});

test('text with a long run is counted in pieces that add up to it', () => {
  const text = `start ${'x'.repeat(2_000)} end`;
  const slices = slicesOf(text);
  expect(slices.length).toBeGreaterThan(1);
  expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThanOrEqual(512);
  expect(slices.join('')).toBe(text);
});

test('no piece splits a character', () => {
  for (const text of ['🎉'.repeat(2_000), `a${'🎉'.repeat(2_000)}`]) {
    expect(slicesOf(text).every((slice) => slice.isWellFormed())).toBe(true);
  }
});

test('a run ends where white space begins or ends', () => {
  expect(hasLongRun('x'.repeat(10), 10)).toBe(false);
  expect(hasLongRun('x'.repeat(11), 10)).toBe(true);
  expect(hasLongRun(' \n'.repeat(6), 10)).toBe(true);
  expect(hasLongRun(`${'x'.repeat(9)} ${'x'.repeat(9)}`, 10)).toBe(false);
});

test('an estimate is a quarter of the characters, rounded up', () => {
  expect([0, 1, 4, 5].map(estimateTokens)).toEqual([0, 1, 1, 2]);
});

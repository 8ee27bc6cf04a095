import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTokenCounter, type TokenCounter } from '../../../src/tokens/token-counter.js';

let counter: TokenCounter;
beforeAll(async () => {
  counter = await openTokenCounter();
});
afterAll(() => counter.close());

test('plain text is counted as OpenAI counts it', () => {
  expect(counter.count('')).toBe(0);
  expect(counter.count('hello world')).toBe(2);
});

test('text that looks like a special token is text', () => {
  expect(counter.count('say <|endoftext|> now')).toBe(9);
});

test('100,000 equal characters are counted, within a few per cent', () => {
  const exact = counter.count('a'.repeat(504)) / 504;
  const counted = counter.count('a'.repeat(100_000));
  expect(Math.abs(counted / (exact * 100_000) - 1)).toBeLessThan(0.03);
});

test.each([
  ['spaces', ' '.repeat(100_000)],
  ['line feeds', '\n'.repeat(100_000)],
  ['Chinese', '中'.repeat(50_000)],
  ['emoji', '🎉'.repeat(30_000)],
  ['base64', Buffer.from('x'.repeat(75_000)).toString('base64')],
  ['lone surrogates', '\ud83d'.repeat(50_000)],
])('%s in bulk are counted', (_what, text) => {
  expect(counter.count(text)).toBeGreaterThan(0);
});

import { describe, expect, test } from 'vitest';
import { capBrokenOutput, capOutput } from '../../../src/text/cap-output.js';
import { codePointLength, firstCodePoints, lastCodePoints } from '../../../src/text/code-points.js';

describe('code points', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['🎉🎉', 2],
    ['a\ud83cb', 3],
    ['\udf89\ud83c', 2],
  ])('%j has the length %i', (text, length) => {
    expect(codePointLength(text)).toBe(length);
  });

  test('no surrogate pair is cut at either end', () => {
    expect(firstCodePoints('🎉🎉a', 1)).toBe('🎉');
    expect(lastCodePoints('a🎉🎉', 1)).toBe('🎉');
    expect(firstCodePoints('ab', 9)).toBe('ab');
    expect(lastCodePoints('ab', 9)).toBe('ab');
    expect(lastCodePoints('ab', 0)).toBe('');
  });
});

describe('a long text', () => {
  test('is left alone up to the limit, counted in code points and not in units', () => {
    const text = '🎉'.repeat(100);
    expect(capOutput(text, 100)).toEqual({ text, originalChars: 100, cut: false });
  });

  test('keeps 40 % head and 60 % tail and says how much is missing', () => {
    const text = `${'a'.repeat(10_000)}${'b'.repeat(10_000)}`;
    const { text: capped, originalChars, cut } = capOutput(text, 1_000);
    expect(cut).toBe(true);
    expect(originalChars).toBe(20_000);
    const head = /^a+/.exec(capped)?.[0].length ?? 0;
    const tail = /b+$/.exec(capped)?.[0].length ?? 0;
    expect(head / (head + tail)).toBeCloseTo(0.4, 2);
    expect(capped).toContain(`${20_000 - head - tail} of 20000 characters left out`);
  });

  test.each([0, 1, 10, 60, 100, 999])('is never longer than %i, notice included', (limit) => {
    const { text } = capOutput('🎉x'.repeat(1_000), limit);
    expect(codePointLength(text)).toBeLessThanOrEqual(limit);
    expect(/\p{Surrogate}/u.test(text)).toBe(false);
  });

  test('whose middle is gone already counts what is missing', () => {
    const { text, originalChars } = capBrokenOutput('head', 'tail', 1_000, 500);
    expect(originalChars).toBe(1_008);
    expect(text).toMatch(
      /^head\n\n\[\.\.\. 1000 of 1008 characters left out here \.\.\.\]\n\ntail$/,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { codePointLength } from '../../../src/text/code-points.js';

describe('codePointLength', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['été', 3],
    ['漢字', 2],
    ['😀', 1],
    ['a😀b😀', 4],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
    ['\ud83d\ud83d\ude00', 2],
  ])('counts %j as %i, as Python does', (text, length) => {
    expect(codePointLength(text)).toBe(length);
    expect(codePointLength(text)).toBe([...text].length);
  });
});

import { describe, expect, it } from 'vitest';
import {
  costText,
  countText,
  durationText,
  etaText,
  rateText,
} from '../../../runners/reporters/progress-text.js';
import { progress } from './reporter-fixture.js';

describe('progress in words', () => {
  it.each([
    [0, '0 s'],
    [59_400, '59 s'],
    [59_600, '1 min 00 s'],
    [3_599_000, '59 min 59 s'],
    [3_900_000, '1 h 05 min'],
    [-5, '0 s'],
  ])('writes %d ms as %s', (ms, text) => expect(durationText(ms)).toBe(text));

  it.each([
    [999, '999'],
    [1000, '1.0k'],
    [99_999, '100.0k'],
    [999_499, '999k'],
    [999_500, '1.00M'],
  ])('writes %d as %s', (count, text) => expect(countText(count)).toBe(text));

  it('says that a cost is unknown rather than 0', () => {
    expect([null, 0, 0.00123, 1.5].map(costText)).toEqual(['unknown', '$0.00', '$0.0012', '$1.50']);
  });

  it('estimates the rest by the pace of this start alone, so that a resumed run is not too hopeful', () => {
    expect(etaText(progress({ total: 1000, done: 940, finishedNow: 20, elapsedMs: 60_000 }))).toBe(
      '3 min 00 s',
    );
  });

  it('does not guess before anything finished or while the data set is still being read', () => {
    expect(etaText(progress({ finishedNow: 0 }))).toBe('?');
    expect(etaText(progress({ planning: true }))).toBe('?');
    expect(rateText(progress({ finishedNow: 0, elapsedMs: 0 }))).toBe('0.0/min');
  });
});

import { describe, expect, it } from 'vitest';
import { Canary } from '../../../runners/batch/canary.js';

function verdicts(outcomes: readonly (string | null)[]): (string | null)[] {
  const canary = new Canary();
  return outcomes.map((outcome) => canary.observe(outcome));
}

describe('the canary', () => {
  it('stops a run when five of its first ten rollouts fail alike, and says how to go on', () => {
    const seen = verdicts(['auth', null, 'auth', 'auth', null, 'auth', 'auth']);
    expect(seen.slice(0, 6)).toEqual([null, null, null, null, null, null]);
    expect(seen[6]).toMatch(/5 of the first 7 .* auth.*--no-canary/);
  });

  it('lets a run go on whose failures differ', () => {
    const classes = [
      'auth',
      'timeout',
      'auth',
      'timeout',
      'auth',
      'timeout',
      'auth',
      'timeout',
      'x',
    ];
    expect(verdicts(classes).every((verdict) => verdict === null)).toBe(true);
  });

  it('looks at the first ten only', () => {
    const tenGood = Array.from({ length: 10 }, () => null);
    const fiveBad = Array.from({ length: 5 }, () => 'auth');
    expect(verdicts([...tenGood, ...fiveBad]).every((verdict) => verdict === null)).toBe(true);
  });
});

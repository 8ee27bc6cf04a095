import { describe, expect, it } from 'vitest';
import { barText } from '../../../runners/reporters/bar-text.js';
import { progress } from './reporter-fixture.js';

const busy = progress({ failed: 2, discarded: 1, costUsd: 12.5 });

describe('the text of the bar', () => {
  it('tells everything on a wide terminal, and nothing of what did not happen', () => {
    expect(barText(busy, 200)).toBe(
      '████████░░░░░░░░░░░░ 40% 40/100 | 8 running | 2 failed | 1 discarded | 12.4k tokens | $12.50 | 40/min | ETA 1 min 30 s',
    );
    expect(barText(progress(), 200)).toBe(
      '████████░░░░░░░░░░░░ 40% 40/100 | 8 running | 12.4k tokens | 40/min | ETA 1 min 30 s',
    );
  });

  it('keeps what is done and the time that is left on every terminal of 30 columns or more', () => {
    for (let columns = 30; columns <= 200; columns++) {
      const text = barText(busy, columns);
      expect(text.length).toBeLessThan(columns);
      expect(text).toContain('40% 40/100');
      expect(text).toMatch(/ETA 1 min 30 s$/);
    }
  });

  it('fits 80 columns with failures and costs', () => {
    expect(barText(busy, 80)).toBe(
      '40% 40/100 | 8 running | 2 failed | 1 discarded | $12.50 | ETA 1 min 30 s',
    );
    expect(barText(progress(), 80)).toBe(
      '████░░░░░░ 40% 40/100 | 8 running | 12.4k tokens | 40/min | ETA 1 min 30 s',
    );
  });

  it('tells of retries, so that a run that waits for its server does not look dead', () => {
    expect(barText(progress({ retries: 3 }), 200)).toContain('| 3 retries |');
    expect(barText(progress({ retries: 1 }), 60)).toContain('| 1 retry |');
  });

  it('never breaks the line, however narrow', () => {
    expect(barText(busy, 10)).toBe('40% 40/10');
  });

  it('has no time left once all is done, and no percentage of nothing', () => {
    expect(barText(progress({ done: 100 }), 200)).not.toContain('ETA');
    expect(barText(progress({ done: 0, total: 0, planning: true }), 80)).toContain('0% 0/0+');
  });
});

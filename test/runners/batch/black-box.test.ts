import { describe, expect, it } from 'vitest';
import { BlackBox } from '../../../runners/batch/black-box.js';

describe('the black box of a worker', () => {
  it('tells the last rollout that acted, through the shared bytes alone', () => {
    const lane = new BlackBox();
    const main = new BlackBox(lane.buffer);
    expect(main.last).toBeNull();
    lane.enter(3 * 2 ** 40 + 5);
    lane.enter(2 ** 40 + 7);
    expect(main.last).toEqual({ rolloutId: 2 ** 40 + 7, certain: false });
  });

  it('keeps a verdict, whoever acts after it', () => {
    const box = new BlackBox();
    box.convict(2 ** 21);
    expect(new BlackBox(box.buffer).last).toEqual({ rolloutId: 2 ** 21, certain: true });
  });
});

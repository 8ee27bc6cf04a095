import { describe, expect, it } from 'vitest';
import { WorkQueue } from '../../../runners/batch/work-queue.js';
import type { RunStore } from '../../../runners/store/run-store.js';
import { pendingRollout } from '../../helpers/pending-rollout.js';

/** A queue over a plan that the test grows by hand. */
function queueUnderTest(prefetch = 4) {
  const plan: number[] = [];
  let handedOut = 0;
  const asked: number[] = [];
  const store: Pick<RunStore, 'next'> = {
    async next(count) {
      asked.push(count);
      const page = plan.slice(handedOut, handedOut + count);
      handedOut += page.length;
      return page.map((rolloutId) => pendingRollout(rolloutId));
    },
  };
  const queue = new WorkQueue({
    store: store as RunStore,
    prefetch,
    onChange: () => undefined,
    onError: (thrown) => {
      throw thrown;
    },
  });
  return { queue, plan, asked };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

async function takeAll(queue: WorkQueue): Promise<number[]> {
  const taken: number[] = [];
  for (let empty = 0; empty < 3; ) {
    const pending = queue.take();
    if (pending === null) {
      empty += 1;
      await tick();
    } else {
      empty = 0;
      taken.push(pending.rolloutId);
    }
  }
  return taken;
}

describe('the work queue', () => {
  it('hands out the whole plan in order and is drained only when the plan is complete', async () => {
    const { queue, plan } = queueUnderTest();
    plan.push(1, 2, 3, 4, 5, 6, 7, 8, 9);
    queue.planGrew(false);
    expect(await takeAll(queue)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(queue.drained).toBe(false);
    plan.push(10);
    queue.planGrew(true);
    expect(await takeAll(queue)).toEqual([10]);
    expect(queue.drained).toBe(true);
  });

  it('is not drained while something was put back', async () => {
    const { queue } = queueUnderTest();
    queue.planGrew(true);
    await takeAll(queue);
    queue.putBack(pendingRollout(5));
    expect(queue.drained).toBe(false);
    expect(queue.take()?.rolloutId).toBe(5);
    expect(queue.drained).toBe(true);
  });

  it('runs what was put back before the rest of the plan', async () => {
    const { queue, plan } = queueUnderTest();
    plan.push(1, 2, 3);
    queue.planGrew(true);
    await tick();
    queue.putBack(pendingRollout(9));
    expect(queue.take()?.rolloutId).toBe(9);
    expect(queue.take()?.rolloutId).toBe(1);
  });

  it('keeps no more of the plan in memory than the prefetch', async () => {
    const { queue, plan, asked } = queueUnderTest(4);
    plan.push(...Array.from({ length: 100 }, (_, index) => index));
    queue.planGrew(true);
    await tick();
    await tick();
    expect(asked).toEqual([4]);
  });
});

import { describe, expect, it } from 'vitest';
import { Suspects } from '../../../runners/batch/suspects.js';
import type { PendingRollout, RunStore } from '../../../runners/store/run-store.js';
import { pendingRollout } from '../../helpers/pending-rollout.js';

/** Suspects over a store that takes everything back, and what came of them. */
function suspectsUnderTest(stored: readonly number[] = []) {
  const released: number[] = [];
  const failed: number[] = [];
  const store: Pick<RunStore, 'reclaim' | 'fail'> = {
    reclaim: async (rolloutId) => (stored.includes(rolloutId) ? null : pendingRollout(rolloutId)),
    fail: async (rolloutId) => {
      failed.push(rolloutId);
    },
  };
  const suspects = new Suspects({
    store: store as RunStore,
    release: (pending) => released.push(pending.rolloutId),
    onChange: () => undefined,
    onQuarantine: () => undefined,
    onError: (thrown) => {
      throw thrown;
    },
  });
  return { suspects, released, failed };
}

async function settled(suspects: Suspects): Promise<void> {
  while (suspects.busy) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function takeAll(suspects: Suspects): number[] {
  const taken: number[] = [];
  for (
    let suspect: PendingRollout | null = suspects.take();
    suspect !== null;
    suspect = suspects.take()
  ) {
    taken.push(suspect.rolloutId);
  }
  return taken;
}

const held = [1, 2, 3].map((rolloutId) => pendingRollout(rolloutId));

describe('finding the rollout that kills workers', () => {
  it('runs only the one that acted last alone, and releases the others', async () => {
    const { suspects, released, failed } = suspectsUnderTest();
    suspects.onDeath(held, { rolloutId: 2, certain: false }, false, 'out of memory');
    await settled(suspects);
    expect(takeAll(suspects)).toEqual([2]);
    expect(released).toEqual([1, 3]);
    expect(failed).toEqual([]);
  });

  it('fails a rollout that is known to have ended the thread, without trying it again', async () => {
    const { suspects, released, failed } = suspectsUnderTest();
    suspects.onDeath(held, { rolloutId: 2, certain: true }, false, 'exit code 3');
    await settled(suspects);
    expect(failed).toEqual([2]);
    expect(released).toEqual([1, 3]);
    expect(suspects.waiting).toBe(false);
  });

  it('fails a rollout whose thread dies while it is alone', async () => {
    const { suspects, failed } = suspectsUnderTest();
    suspects.onDeath([pendingRollout(7)], null, true, 'exit code 3');
    await settled(suspects);
    expect(failed).toEqual([7]);
  });

  it('suspects everyone who was present at two deaths', async () => {
    const { suspects } = suspectsUnderTest();
    suspects.onDeath(held, null, false, 'died');
    await settled(suspects);
    suspects.onDeath(
      [1, 3, 4].map((rolloutId) => pendingRollout(rolloutId)),
      null,
      false,
      'died',
    );
    await settled(suspects);
    expect(takeAll(suspects)).toEqual([1, 3]);
  });

  it('forgets a suspicion once the rollout ended by itself', async () => {
    const { suspects, released } = suspectsUnderTest();
    suspects.onDeath(held, null, false, 'died');
    await settled(suspects);
    suspects.clear(1);
    suspects.onDeath([pendingRollout(1)], null, false, 'died');
    await settled(suspects);
    expect(suspects.waiting).toBe(false);
    expect(released).toEqual([1, 2, 3, 1]);
  });

  it('does not run a rollout again whose outcome was stored before the thread died', async () => {
    const { suspects, released } = suspectsUnderTest([3]);
    suspects.onDeath(held, null, false, 'died');
    await settled(suspects);
    expect(released).toEqual([1, 2]);
  });
});

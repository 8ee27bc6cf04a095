import { expect, test } from 'vitest';
import type { RolloutDone } from '../../../runners/batch/lane-protocol.js';
import { nothingMetered, withEvent } from '../../../runners/batch/metered.js';
import { ProgressMeter } from '../../../runners/batch/progress-meter.js';
import type { RunCounts } from '../../../runners/store/run-store.js';
import type { RolloutEvent } from '../../../src/rollout/event.js';

const price = { prompt: 10, cached: 1, completion: 100 };
const nothing = { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 };

function call(changes: { readonly replayed?: boolean } = {}): RolloutEvent {
  return {
    task_key: 'k',
    sample: 0,
    attempt: 1,
    type: 'model-call-end',
    turn: 1,
    ok: true,
    replayed: false,
    prompt_tokens: 1_000_000,
    cached_tokens: 900_000,
    completion_tokens: 10_000,
    seconds: 1,
    ...changes,
  };
}

test('a cached prompt costs what cached tokens cost, as in the record', () => {
  const meter = new ProgressMeter(() => 0, price);
  meter.add(withEvent(nothingMetered, call()));
  expect(meter.costUsd).toBeCloseTo(1 + 0.9 + 1);
});

test('what was paid before this start counts, and a reply that is replayed is not paid again', () => {
  const meter = new ProgressMeter(() => 0, price);
  meter.startFrom({ outcomesUsd: 4, usage: { ...nothing, completion_tokens: 10_000 } });
  meter.add(withEvent(nothingMetered, call({ replayed: true })));
  expect(meter.costUsd).toBeCloseTo(5);
});

test('without a price the cost is unknown and not 0', () => {
  const meter = new ProgressMeter(() => 0, null);
  meter.startFrom({ outcomesUsd: 4, usage: nothing });
  meter.add(withEvent(nothingMetered, call()));
  expect(meter.costUsd).toBeNull();
});

function counts(pending: number, byStatus: Partial<RunCounts['byStatus']>): RunCounts {
  return {
    tasks: 10,
    rollouts: 10,
    pending,
    byStatus: { completed: 0, truncated: 0, failed: 0, cancelled: 0, discarded: 0, ...byStatus },
    promptTokens: 0,
    completionTokens: 0,
    modelCalls: 0,
    costUsd: null,
  };
}

function done(status: RolloutDone['status'], retryable = false): RolloutDone {
  return {
    rolloutId: 1,
    stale: false,
    status,
    errorClass: null,
    errorMessage: null,
    retryable,
    costUsd: null,
  };
}

test('a resumed run counts what failed before and runs again once, when it has ended', () => {
  const meter = new ProgressMeter(() => 0, null);
  // Four completed, one failed for good; three failures and a cancelled one are to be repeated, one never ran.
  meter.synchronise(counts(5, { completed: 4, failed: 4, cancelled: 1 }), false);
  expect(meter.snapshot(0)).toMatchObject({ total: 10, done: 5, failed: 1 });
  meter.outcome(done('completed'), true);
  meter.outcome(done('failed', true), false);
  meter.outcome(done('failed', true), true);
  expect(meter.snapshot(0)).toMatchObject({ done: 7, failed: 2, finishedNow: 2 });
  // The same, as the store sees it: another failure of an earlier start is still to be repeated.
  meter.synchronise(counts(4, { completed: 5, failed: 3, cancelled: 1 }), false);
  expect(meter.snapshot(0)).toMatchObject({ done: 7, failed: 2 });
  for (const status of ['completed', 'truncated', 'discarded'] as const) {
    meter.outcome(done(status), true);
  }
  expect(meter.snapshot(0)).toMatchObject({ total: 10, done: 10, failed: 2, discarded: 1 });
});

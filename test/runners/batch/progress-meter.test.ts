import { expect, test } from 'vitest';
import { nothingMetered, withEvent } from '../../../runners/batch/metered.js';
import { ProgressMeter } from '../../../runners/batch/progress-meter.js';
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

import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.js';
import { LostTime } from '../../../src/models/lost-time.js';
import type { ModelRetry } from '../../../src/models/model-provider.js';
import {
  type Attempt,
  type AttemptResult,
  type RetryOptions,
  withRetry,
} from '../../../src/models/with-retry.js';
import { InstantClock } from './support.js';

const overloaded: AttemptResult<string> = {
  ok: false,
  failure: { class: 'overloaded', retryable: true, message: 'busy' },
};
const refused: AttemptResult<string> = {
  ok: false,
  failure: { class: 'auth', retryable: false, message: 'no' },
};
const done: AttemptResult<string> = { ok: true, value: 'done' };

/** An attempt that gives these results in turn. */
function inTurn(...results: readonly AttemptResult<string>[]): Attempt<string> & { count: number } {
  const attempt = Object.assign(
    async () => results[Math.min(attempt.count++, results.length - 1)] ?? done,
    { count: 0 },
  );
  return attempt;
}

function options(overrides: Partial<RetryOptions> = {}): RetryOptions & { clock: InstantClock } {
  const clock = overrides.clock ?? new InstantClock();
  return {
    maxRetries: 10,
    retryBudgetMs: 600_000,
    timeoutMs: 1_000,
    clock,
    lostTime: new LostTime(clock),
    random: () => 1,
    signal: new AbortController().signal,
    ...overrides,
  } as RetryOptions & { clock: InstantClock };
}

test('a success after failures says how many there were', async () => {
  const result = await withRetry(inTurn(overloaded, overloaded, done), options());
  expect(result).toMatchObject({ ok: true, value: 'done', retries: 2, seconds: 6 });
});

test('waits double up to a minute', async () => {
  const given = options({ maxRetries: 8 });
  await withRetry(inTurn(overloaded), given);
  expect(given.clock.waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('each wait is drawn from zero up to its ceiling', async () => {
  const given = options({ maxRetries: 3, random: () => 0.25 });
  await withRetry(inTurn(overloaded), given);
  expect(given.clock.waits).toEqual([500, 1_000, 2_000]);
});

test('a failure that no retry can help ends the call at once', async () => {
  const attempt = inTurn(refused, done);
  const result = await withRetry(attempt, options());
  expect(result).toEqual({ ok: false, failure: { ...failureIn(refused), attempts: 1 } });
  expect(attempt.count).toBe(1);
});

test('after the last retry the failure says how many attempts were made', async () => {
  const attempt = inTurn(overloaded);
  const result = await withRetry(attempt, options({ maxRetries: 2 }));
  expect(result).toMatchObject({ ok: false, failure: { class: 'overloaded', attempts: 3 } });
  expect(attempt.count).toBe(3);
});

test('the budget ends a call before its retries are used up', async () => {
  const given = options({ retryBudgetMs: 10_000 });
  const result = await withRetry(inTurn(overloaded), given);
  expect(given.clock.waits).toEqual([2_000, 4_000, 4_000]);
  expect(result).toMatchObject({ ok: false, failure: { attempts: 4 } });
});

test('the time of further attempts counts against the budget, that of the first does not', async () => {
  const given = options({ retryBudgetMs: 10_000 });
  const attempt = async () => {
    given.clock.advance(9_000);
    return overloaded;
  };
  await withRetry(attempt, given);
  expect(given.clock.waits).toEqual([2_000]);
});

test('what the server asks for is waited for, with jitter on top', async () => {
  const asked = { ...failureIn(overloaded), retry_after_ms: 3_000 };
  const given = options();
  await withRetry(inTurn({ ok: false, failure: asked }, done), given);
  expect(given.clock.waits).toEqual([3_750]);
});

test('a server that asks for more than the budget is not asked again', async () => {
  const asked = { ...failureIn(overloaded), retry_after_ms: 3_600_000 };
  const given = options();
  const result = await withRetry(inTurn({ ok: false, failure: asked }, done), given);
  expect(given.clock.waits).toEqual([]);
  expect(result).toMatchObject({ ok: false, failure: { attempts: 1, retry_after_ms: 3_600_000 } });
});

test('each retry is reported before its wait', async () => {
  const retries: ModelRetry[] = [];
  const given = options({ onRetry: (retry) => retries.push(retry) });
  await withRetry(inTurn(overloaded, done), given);
  expect(retries).toEqual([{ class: 'overloaded', attempt: 1, waitMs: 2_000, message: 'busy' }]);
});

test('an abort ends a wait at once', async () => {
  const controller = new AbortController();
  const result = await withRetry(inTurn(overloaded), {
    ...options(),
    clock: systemClock,
    signal: controller.signal,
    onRetry: () => queueMicrotask(() => controller.abort()),
  });
  expect(result).toMatchObject({ ok: false, failure: { class: 'cancelled', attempts: 1 } });
});

test('an abort ends an attempt, and none is begun after it', async () => {
  const controller = new AbortController();
  const attempt: Attempt<string> = (signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(overloaded));
      controller.abort();
    });
  const given = options({ signal: controller.signal });
  expect(await withRetry(attempt, given)).toMatchObject({
    ok: false,
    failure: { class: 'cancelled', retryable: false },
  });
  const late = inTurn(done);
  expect(await withRetry(late, given)).toMatchObject({
    ok: false,
    failure: { class: 'cancelled' },
  });
  expect(late.count).toBe(0);
});

test('an attempt that outlasts its limit is a time-out and is tried again', async () => {
  const hang: Attempt<string> = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  let count = 0;
  const result = await withRetry(
    (signal) => (count++ === 0 ? hang(signal) : inTurn(done)(signal)),
    {
      ...options({ timeoutMs: 10, random: () => 0 }),
      clock: systemClock,
    },
  );
  expect(result).toMatchObject({ ok: true, retries: 1 });
});

test('failed attempts and waits are lost time, and an attempt that is open until it succeeds', async () => {
  const given = options();
  const lost: number[] = [];
  let count = 0;
  await withRetry(async () => {
    lost.push(given.lostTime.ms);
    given.clock.advance(5_000);
    lost.push(given.lostTime.ms);
    return count++ === 0 ? overloaded : done;
  }, given);
  expect([...lost, given.lostTime.ms]).toEqual([0, 5_000, 7_000, 12_000, 7_000]);
});

test('an abort tells the failure before it', async () => {
  const controller = new AbortController();
  const given = options({ signal: controller.signal, onRetry: () => controller.abort() });
  expect(await withRetry(inTurn(overloaded), given)).toMatchObject({
    failure: { class: 'cancelled', last: { class: 'overloaded', message: 'busy' } },
  });
});

test('a bug in an attempt is a failure and not an exception', async () => {
  const result = await withRetry(async () => {
    throw new TypeError('x is not a function');
  }, options());
  expect(result).toMatchObject({ ok: false, failure: { class: 'unknown', retryable: false } });
});

test('nothing is left on a signal that outlives the call', async () => {
  const { signal } = new AbortController();
  for (let call = 0; call < 50; call++) {
    await withRetry(inTurn(overloaded, done), options({ signal }));
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

function failureIn(result: AttemptResult<string>) {
  if (result.ok) {
    throw new Error('expected a failure');
  }
  return result.failure;
}

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Model, ModelFailure } from '../../../src/models/model.js';
import { fakeClock } from '../../../testing/fake-clock.js';
import { scriptedModel } from '../../../testing/scripted-model.js';
import { answerAll, beginAgent, callEcho, run, toolResult } from './agent-fixture.js';

const threeCalls = {
  tool_calls: ['a', 'b', 'c'].map((id) => ({ name: 'echo', arguments: { value: id }, id })),
};

/** Never ends, whatever is aborted. */
const never = () => new Promise<never>(() => {});

describe('a rollout that is cancelled', () => {
  it('before it starts makes no call', async () => {
    const { outcome, model } = await run(['never asked'], { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ exitReason: 'cancelled', modelCalls: 0, turns: 0 });
    expect(model.requests).toEqual([]);
    expect(outcome.messages).toHaveLength(2);
  });

  it('in the middle of a model call drops that call alone', async () => {
    const controller = new AbortController();
    const { clock, done } = beginAgent([callEcho(1), { hang: true }], {
      signal: controller.signal,
    });
    await clock.advance(10);
    controller.abort();
    const { outcome } = await done;
    expect(outcome).toMatchObject({
      exitReason: 'cancelled',
      modelFailure: null,
      modelCalls: 2,
      turns: 1,
    });
    expect(outcome.messages.at(-1)?.role).toBe('tool');
  });

  it('by its wall limit ends as past its deadline', async () => {
    const controller = new AbortController();
    const { clock, done } = beginAgent([callEcho(1), { hang: true }], {
      signal: controller.signal,
    });
    await clock.advance(10);
    controller.abort('deadline');
    expect((await done).outcome).toMatchObject({ exitReason: 'deadline', modelCalls: 2 });
  });

  it('keeps what tools had finished and answers the others as cancelled', async () => {
    const controller = new AbortController();
    const { outcome } = await run([threeCalls, 'never asked'], {
      signal: controller.signal,
      execute: async ({ calls }) => {
        controller.abort();
        return {
          messages: calls.map((call, index) =>
            toolResult(call, { status: index === 0 ? 'ok' : 'cancelled' }),
          ),
          sandboxGone: null,
        };
      },
    });
    expect(outcome).toMatchObject({ exitReason: 'cancelled', modelCalls: 1 });
    expect(
      outcome.messages.flatMap((message) => (message.role === 'tool' ? [message.status] : [])),
    ).toEqual(['ok', 'cancelled', 'cancelled']);
  });

  it('is cancelled and not broken when an interrupted executor leaves out results', async () => {
    const controller = new AbortController();
    const { outcome } = await run([threeCalls], {
      signal: controller.signal,
      execute: async () => {
        controller.abort();
        return { messages: [], sandboxGone: null };
      },
    });
    expect(outcome).toMatchObject({ exitReason: 'cancelled', error: null });
  });

  it('does not wait for tools that ignore the abort', async () => {
    const controller = new AbortController();
    const { clock, done } = beginAgent([threeCalls], { signal: controller.signal, execute: never });
    await clock.advance(10);
    controller.abort();
    await clock.advance(5000);
    const { outcome } = await done;
    expect(outcome.exitReason).toBe('cancelled');
    expect(outcome.messages.slice(3)).toMatchObject([
      { tool_call_id: 'a', status: 'cancelled' },
      { tool_call_id: 'b', status: 'cancelled' },
      { tool_call_id: 'c', status: 'cancelled' },
    ]);
  });

  it('does not wait for a model that ignores the abort', async () => {
    const controller = new AbortController();
    const model: Model = { name: 'deaf:model', generate: never };
    const { clock, done } = beginAgent([], { signal: controller.signal, input: { model } });
    await clock.advance(10);
    controller.abort();
    await clock.advance(1000);
    expect((await done).outcome.exitReason).toBe('cancelled');
  });

  it('swallows what an abandoned call throws later', async () => {
    const controller = new AbortController();
    let fail: (reason: Error) => void = () => {};
    const model: Model = {
      name: 'late:model',
      generate: () =>
        new Promise((_resolve, reject) => {
          fail = reject;
        }),
    };
    const { clock, done } = beginAgent([], { signal: controller.signal, input: { model } });
    await clock.advance(10);
    controller.abort();
    await clock.advance(1000);
    expect((await done).outcome.exitReason).toBe('cancelled');
    fail(new Error('too late'));
    await clock.advance(0);
  });

  it('is cancelled however the client names the failure of the aborted call', async () => {
    const controller = new AbortController();
    const { outcome } = await run(
      () => {
        controller.abort();
        return { throws: new Error('socket hang up') };
      },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ exitReason: 'cancelled', modelFailure: null });
  });

  it('keeps a whole reply that came in spite of the abort, and runs none of its calls', async () => {
    const controller = new AbortController();
    const inner = { reply: callEcho(1, 'a') };
    const { outcome, executed } = await run([], {
      signal: controller.signal,
      input: {
        model: {
          name: 'quick:model',
          generate: async () => {
            controller.abort();
            return {
              ok: true,
              reply: {
                content: 'on my way',
                reasoning: null,
                tool_calls: inner.reply.tool_calls.map((call) => ({
                  id: 'a',
                  name: call.name,
                  arguments: JSON.stringify(call.arguments),
                })),
                finish_reason: 'tool_calls',
                usage: {
                  prompt_tokens: 1,
                  completion_tokens: 1,
                  cached_tokens: 0,
                  reasoning_tokens: 0,
                  source: 'server',
                },
                model: 'm',
                seconds: 0,
                retries: 0,
              },
            };
          },
        },
      },
    });
    expect(executed).toEqual([]);
    expect(outcome.exitReason).toBe('cancelled');
    expect(outcome.messages.slice(2)).toMatchObject([
      { content: 'on my way' },
      { tool_call_id: 'a', status: 'cancelled' },
    ]);
  });

  it('leaves no listener on the signal of the rollout, however it ends', async () => {
    const controller = new AbortController();
    for (const script of [['Done.'], [callEcho(1), { failure: 'auth' as const }]]) {
      await run(script, { signal: controller.signal });
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    }
  });

  it('holds one listener on the signal of the rollout, whatever it is doing', async () => {
    const controller = new AbortController();
    const counts = new Set<number>();
    await run(
      (_request, call) => {
        counts.add(getEventListeners(controller.signal, 'abort').length);
        return call < 5 ? callEcho(call) : 'Done.';
      },
      { signal: controller.signal },
    );
    expect([...counts]).toEqual([1]);
  });
});

describe('the deadline', () => {
  it('interrupts a model call', async () => {
    const { clock, done, events } = beginAgent([callEcho(1), { hang: true }], {
      config: { deadlineMs: 30_000 },
    });
    await clock.advance(30_000);
    const { outcome } = await done;
    expect(outcome).toMatchObject({
      exitReason: 'deadline',
      modelFailure: null,
      turns: 1,
      modelSeconds: 30,
    });
    expect(events.at(-1)).toEqual({ type: 'budget-end', reason: 'deadline' });
  });

  it('does not come early', async () => {
    const { clock, done } = beginAgent([callEcho(1), { hang: true }], {
      config: { deadlineMs: 30_000 },
    });
    let ended = false;
    void done.then(() => {
      ended = true;
    });
    await clock.advance(29_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect((await done).outcome.exitReason).toBe('deadline');
  });

  it('interrupts tools through their signal', async () => {
    const { clock, done } = beginAgent([threeCalls], {
      config: { deadlineMs: 20_000 },
      execute: async ({ calls, clock: time, context }) => {
        await time.sleep(3_600_000, context.signal);
        return {
          messages: calls.map((call) => toolResult(call, { status: 'cancelled' })),
          sandboxGone: null,
        };
      },
    });
    await clock.advance(20_000);
    const { outcome } = await done;
    expect(outcome).toMatchObject({ exitReason: 'deadline', toolSeconds: 20 });
  });

  it('holds for a model and tools that never leave a timer the time to fire', async () => {
    const clock = fakeClock();
    let elapsed = 0;
    const { outcome } = await run((_request, call) => callEcho(call), {
      clock,
      config: { deadlineMs: 5000, maxTurns: 1_000_000 },
      input: { clock: { ...clock, monotonic: () => elapsed } },
      execute: async (batch) => {
        elapsed += 1000;
        return answerAll()(batch);
      },
    });
    expect(outcome).toMatchObject({ exitReason: 'deadline', turns: 5 });
  });

  it('does not count the time that the model waited for permits', async () => {
    const clock = fakeClock();
    const { done } = beginAgent([], {
      clock,
      config: { deadlineMs: 10_000 },
      input: {
        model: {
          name: 'waiting:model',
          // Waits for a permit during the first 60 seconds.
          waitedMs: () => Math.min(clock.monotonic(), 60_000),
          generate: (_request, signal) =>
            new Promise((resolve) => {
              const failure = {
                class: 'cancelled',
                retryable: false,
                message: 'aborted',
                attempts: 1,
              } as const;
              signal.addEventListener('abort', () => resolve({ ok: false, failure }));
            }),
        },
      },
    });
    let ended = false;
    void done.then(() => {
      ended = true;
    });
    await clock.advance(69_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect((await done).outcome).toMatchObject({ exitReason: 'model_error', modelSeconds: 70 });
  });

  it.each(['rate_limit', 'overloaded', 'server_error', 'timeout', 'connection'] as const)(
    'that comes while the server is down (%s) is a failure of the server',
    async (kind) => {
      const failure = { class: kind, retryable: true, message: 'no answer', attempts: 3 };
      const { clock, done } = beginAgent([callEcho(1)], {
        config: { deadlineMs: 10_000 },
        input: { model: answersOnceThen(failure) },
      });
      await clock.advance(10_000);
      expect((await done).outcome).toMatchObject({
        exitReason: 'model_error',
        modelFailure: { class: kind, retryable: true, attempts: 3 },
        turns: 1,
      });
    },
  );

  it('that comes before the model has answered once is a failure of the server, to be tried again', async () => {
    const { clock, done } = beginAgent([{ hang: true }], { config: { deadlineMs: 10_000 } });
    await clock.advance(10_000);
    expect((await done).outcome).toMatchObject({
      exitReason: 'model_error',
      modelFailure: { class: 'timeout', retryable: true },
      turns: 0,
    });
  });

  it('does not fire at once when it is longer than a timer can hold', async () => {
    const { clock, done } = beginAgent([callEcho(1), { hang: true }], {
      config: { deadlineMs: 2 ** 31 + 1000 },
    });
    let ended = false;
    void done.then(() => {
      ended = true;
    });
    await clock.advance(2 ** 31 - 1);
    expect(ended).toBe(false);
    await clock.advance(1001);
    expect((await done).outcome.exitReason).toBe('deadline');
  });

  it('may be infinite, which does not keep a timer spinning', async () => {
    const clock = fakeClock();
    let timers = 0;
    const after: typeof clock.after = (ms, callback) => {
      timers += 1;
      return clock.after(ms, callback);
    };
    const controller = new AbortController();
    const { done } = beginAgent([{ hang: true }], {
      clock,
      signal: controller.signal,
      config: { deadlineMs: Number.POSITIVE_INFINITY },
      input: { clock: { ...clock, after } },
    });
    await clock.advance(10);
    expect(timers).toBe(1);
    controller.abort();
    expect((await done).outcome.exitReason).toBe('cancelled');
  });

  it('is told apart from a cancel that came first, and one that came later', async () => {
    const controller = new AbortController();
    const { clock, done } = beginAgent([threeCalls], {
      signal: controller.signal,
      config: { deadlineMs: 1000 },
      execute: never,
    });
    await clock.advance(1000);
    controller.abort();
    await clock.advance(5000);
    expect((await done).outcome.exitReason).toBe('deadline');
  });
});

/** Calls a tool, then waits for a server that fails, until it is aborted. */
function answersOnceThen(failure: ModelFailure): Model {
  const first = scriptedModel([callEcho(1)]);
  return {
    name: 'down:model',
    generate: (request, signal) =>
      first.requests.length === 0
        ? first.generate(request, signal)
        : new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ ok: false, failure }));
          }),
  };
}

import { describe, expect, it } from 'vitest';
import { TalariaError } from '../../../src/errors.js';
import { answerAll, callEcho, run, toolResult } from './agent-fixture.js';

const twoCalls = {
  tool_calls: [
    { name: 'echo', arguments: { value: 1 }, id: 'a' },
    { name: 'echo', arguments: { value: 2 }, id: 'b' },
  ],
};

describe('calls whose arguments cannot be parsed', () => {
  it('never run and are answered in place with what is wrong', async () => {
    const { outcome, executed } = await run([
      {
        tool_calls: [
          { name: 'echo', arguments: '{"value": 1', id: 'a' },
          { name: 'echo', arguments: { value: 2 }, id: 'b' },
          { name: 'echo', arguments: '[3]', id: 'c' },
          { name: 'echo', arguments: { value: 4 }, id: 'd' },
        ],
      },
      'Done.',
    ]);
    expect(executed.map((call) => call.id)).toEqual(['b', 'd']);
    expect(outcome.messages.slice(3, 7)).toMatchObject([
      { tool_call_id: 'a', status: 'invalid', content: expect.stringContaining('not valid JSON') },
      { tool_call_id: 'b', status: 'ok', content: '{"value":2}' },
      { tool_call_id: 'c', status: 'invalid', content: expect.stringContaining('not an array') },
      { tool_call_id: 'd', status: 'ok', content: '{"value":4}' },
    ]);
    expect(outcome.messages[2]).toMatchObject({
      tool_calls: [{ arguments: '{"value": 1', parse_error: expect.any(String) }, {}, {}, {}],
    });
    expect(outcome.exitReason).toBe('finished');
  });

  it('do not reach the executor at all when there are no others', async () => {
    let batches = 0;
    await run([{ tool_calls: [{ name: 'echo', arguments: '{' }] }, 'Done.'], {
      execute: async () => {
        batches += 1;
        return { messages: [], sandboxGone: null };
      },
    });
    expect(batches).toBe(0);
  });
});

describe('the executor of tool calls', () => {
  it('gets each call once, with the limits of the configuration', async () => {
    const seen: unknown[] = [];
    const { executed } = await run([twoCalls, callEcho(3, 'c'), 'Done.'], {
      execute: async (batch) => {
        seen.push([batch.turn, batch.timeoutMs, batch.maxResultChars, [...batch.tools.keys()]]);
        return answerAll()(batch);
      },
    });
    expect(executed.map((call) => call.id)).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual([
      [1, 10_000, 10_000, ['echo']],
      [2, 10_000, 10_000, ['echo']],
    ]);
  });

  it('may cancel a call on its own account: the model sees it and goes on', async () => {
    const { outcome } = await run([twoCalls, 'Done.'], {
      execute: answerAll(() => ({ status: 'cancelled', content: 'not now' })),
    });
    expect(outcome).toMatchObject({ exitReason: 'finished', toolStats: {} });
    expect(outcome.messages[3]).toMatchObject({ status: 'cancelled', content: 'not now' });
  });

  it('ends the rollout as sandbox_unavailable when it says that the sandbox is gone', async () => {
    const { outcome } = await run([twoCalls, 'never asked'], {
      execute: async ({ calls }) => ({
        messages: calls.map((call) => toolResult(call, { status: 'cancelled' })),
        sandboxGone: 'the container died',
      }),
    });
    expect(outcome).toMatchObject({
      exitReason: 'sandbox_unavailable',
      error: 'the container died',
      modelFailure: null,
      modelCalls: 1,
    });
  });

  it('does the same when it throws that the sandbox is gone', async () => {
    const { outcome } = await run([twoCalls], {
      execute: async () => {
        throw new TalariaError({ code: 'sandbox_unavailable', message: 'no such container' });
      },
    });
    expect(outcome).toMatchObject({
      exitReason: 'sandbox_unavailable',
      error: 'no such container',
    });
  });

  it.each([
    [
      'throws',
      async () => {
        throw new Error('boom');
      },
      'boom',
    ],
    [
      'throws no error',
      async () => {
        throw null;
      },
      'null',
    ],
    ['gives nothing', async () => undefined, 'no results'],
    ['leaves out results', async () => ({ messages: [], sandboxGone: null }), '2 of 2 calls'],
  ])('ends the rollout, with each call answered, when it %s', async (_what, execute, message) => {
    const { outcome } = await run([twoCalls, 'never asked'], { execute: execute as never });
    expect(outcome.exitReason).toBe('environment_error');
    expect(outcome.error).toContain(message);
    expect(outcome.messages.slice(3)).toMatchObject([
      { tool_call_id: 'a', status: 'cancelled' },
      { tool_call_id: 'b', status: 'cancelled' },
    ]);
  });

  it('keeps the results that it gave when it left out others', async () => {
    const { outcome } = await run([twoCalls], {
      execute: async ({ calls }) => ({
        messages: calls.slice(1).map((call) => toolResult(call)),
        sandboxGone: null,
      }),
    });
    expect(outcome.exitReason).toBe('environment_error');
    expect(outcome.messages.slice(3)).toMatchObject([
      { tool_call_id: 'a', status: 'cancelled' },
      { tool_call_id: 'b', status: 'ok' },
    ]);
  });

  it('may give its results in another order: each finds its call by id', async () => {
    const { outcome } = await run([twoCalls, 'Done.'], {
      execute: async (batch) => {
        const { messages } = await answerAll()(batch);
        return { messages: [...messages].reverse(), sandboxGone: null };
      },
    });
    expect(outcome.exitReason).toBe('finished');
    expect(outcome.messages.slice(3, 5)).toMatchObject([
      { tool_call_id: 'a', content: '{"value":1}' },
      { tool_call_id: 'b', content: '{"value":2}' },
    ]);
  });

  it('may give lone surrogates: they do not enter the conversation', async () => {
    const { outcome } = await run([callEcho(1), 'Done.'], {
      execute: answerAll(() => 'half of a pair: \ud83d'),
    });
    expect(outcome.messages[3]).toMatchObject({ content: 'half of a pair: \ufffd' });
  });

  it('may give 50 MB: the loop goes on', async () => {
    const { outcome } = await run([callEcho(1), 'Done.'], {
      execute: answerAll(() => ({ content: 'x'.repeat(50_000_000), sha256: '' })),
    });
    expect(outcome.exitReason).toBe('finished');
  });
});

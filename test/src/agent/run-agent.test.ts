import { describe, expect, it } from 'vitest';
import { answerAll, callEcho, run } from './agent-fixture.js';

describe('the agent loop', () => {
  it('ends as finished on a reply without tool calls, after one model call', async () => {
    const { outcome, executed } = await run(['The answer.']);
    expect(outcome).toMatchObject({
      exitReason: 'finished',
      modelFailure: null,
      error: null,
      turns: 1,
      modelCalls: 1,
      replayedCalls: 0,
      retries: 0,
      toolStats: {},
      tokens: [null],
    });
    expect(outcome.messages).toEqual([
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'Do it.' },
      {
        role: 'assistant',
        content: 'The answer.',
        reasoning: null,
        tool_calls: [],
        finish_reason: 'stop',
        model: 'scripted:model',
      },
    ]);
    expect(executed).toEqual([]);
  });

  it('runs the tool calls, shows the results to the model, and goes on until it answers', async () => {
    const { outcome, model } = await run([
      { reasoning: 'first look', ...callEcho('a', 'id-a') },
      callEcho('b', 'id-b'),
      'Done.',
    ]);
    expect(outcome.exitReason).toBe('finished');
    expect(outcome.messages.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(outcome.messages[2]).toMatchObject({
      reasoning: 'first look',
      finish_reason: 'tool_calls',
    });
    expect(outcome.messages[3]).toMatchObject({ tool_call_id: 'id-a', content: '{"value":"a"}' });
    expect(model.requests.map((request) => request.messages.length)).toEqual([2, 4, 6]);
  });

  it('gives the model one growing conversation, whose beginning never changes', async () => {
    const arrays: unknown[] = [];
    const { model } = await run((request, call) => {
      arrays.push(request.messages);
      return call < 9 ? callEcho(call) : 'Done.';
    });
    expect(new Set(arrays).size).toBe(1);
    const [first] = model.requests;
    for (const request of model.requests) {
      expect(request.messages.slice(0, 2)).toEqual(first?.messages);
      expect(request.tools).toBe(first?.tools);
      expect(request.seed).toBe(7);
    }
  });

  it('adds up usage, retries, replays and time over all calls', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      cached_tokens: 50,
      reasoning_tokens: 5,
      source: 'server' as const,
    };
    const { outcome } = await run([
      { ...callEcho(1), usage, retries: 2, replayed: true },
      { content: 'Done.', usage, retries: 1 },
    ]);
    expect(outcome.usage).toEqual({
      prompt_tokens: 200,
      completion_tokens: 40,
      cached_tokens: 100,
      reasoning_tokens: 10,
      source: 'server',
    });
    expect(outcome).toMatchObject({ retries: 3, replayedCalls: 1, modelCalls: 2, turns: 2 });
  });

  it('says that usage is an estimate as soon as one call was estimated', async () => {
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 1,
      cached_tokens: 0,
      reasoning_tokens: 0,
      source: 'estimate' as const,
    };
    const { outcome } = await run([callEcho(1), { content: 'Done.', usage }]);
    expect(outcome.usage.source).toBe('estimate');
  });

  it('keeps token ids for each assistant message, null where there were none', async () => {
    const tokens = { prompt_ids: [1, 2], completion_ids: [3], completion_logprobs: [-0.5] };
    const { outcome } = await run([{ ...callEcho(1), tokens }, 'Done.']);
    expect(outcome.tokens).toEqual([tokens, null]);
  });

  it('counts calls and successes by what dispatch said', async () => {
    const { outcome } = await run(
      [
        {
          tool_calls: [
            { name: 'echo', arguments: { value: 'ok' } },
            { name: 'echo', arguments: { value: 'error' } },
            { name: 'echo', arguments: '{broken' },
            { name: '__proto__', arguments: { value: 'ok' } },
            { name: 'echo', arguments: { value: 'cancelled' } },
          ],
        },
        'Done.',
      ],
      {
        execute: answerAll((call) => {
          const { value } = JSON.parse(call.arguments) as { value: 'ok' | 'error' | 'cancelled' };
          return { status: value };
        }),
      },
    );
    expect(Object.entries(outcome.toolStats)).toEqual([
      ['echo', { count: 3, success: 1, failure: 2 }],
      ['__proto__', { count: 1, success: 1, failure: 0 }],
    ]);
  });

  it('offers the tools their sandbox only where there is one', async () => {
    let message = '';
    await run([callEcho(1), 'Done.'], {
      execute: answerAll((_call, batch) => {
        try {
          void batch.context.sandbox;
        } catch (thrown) {
          message = (thrown as Error).message;
        }
        return 'ok';
      }),
    });
    expect(message).toContain('has no sandbox');
  });

  it('gives the tools of a rollout one state that lasts from turn to turn', async () => {
    const seen: unknown[] = [];
    await run([callEcho(1), callEcho(2), 'Done.'], {
      execute: answerAll((call, batch) => {
        seen.push(batch.context.state.get('echo'));
        batch.context.state.set('echo', call.arguments);
        return 'ok';
      }),
    });
    expect(seen).toEqual([undefined, '{"value":1}']);
  });

  it('tells what happens, turn by turn', async () => {
    const { events } = await run([callEcho(1), 'Done.']);
    expect(events.map((event) => `${event.type} ${'turn' in event ? event.turn : ''}`)).toEqual([
      'turn-start 1',
      'model-call-start 1',
      'model-call-end 1',
      'turn-end 1',
      'turn-start 2',
      'model-call-start 2',
      'model-call-end 2',
      'turn-end 2',
    ]);
    expect(events[2]).toEqual({
      type: 'model-call-end',
      turn: 1,
      ok: true,
      replayed: false,
      prompt_tokens: 10,
      cached_tokens: 0,
      completion_tokens: 5,
      seconds: 0,
    });
  });

  it('goes on when whoever watches throws', async () => {
    const { outcome } = await run([callEcho(1), 'Done.'], {
      input: {
        emit: () => {
          throw new Error('the display broke');
        },
      },
      execute: async (batch) => {
        batch.emit({ type: 'turn-start', turn: 0 });
        return answerAll()(batch);
      },
    });
    expect(outcome.exitReason).toBe('finished');
  });

  it('does not put lone surrogates of the data set into the conversation', async () => {
    const { outcome } = await run(['ok'], {
      input: { prompt: 'a\ud800b', systemPrompt: '\udc00' },
    });
    expect(outcome.messages.slice(0, 2)).toEqual([
      { role: 'system', content: '\ufffd' },
      { role: 'user', content: 'a\ufffdb' },
    ]);
  });
});

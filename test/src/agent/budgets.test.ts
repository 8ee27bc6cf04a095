import { describe, expect, it } from 'vitest';
import { answerAll, callEcho, run } from './agent-fixture.js';

const always = (_request: unknown, call: number) => callEcho(call);

describe('the budgets of the agent loop', () => {
  it('stops a model that always calls a tool at its turn budget, one unit a model call', async () => {
    const { outcome, model, executed, events } = await run(always, { config: { maxTurns: 4 } });
    expect(outcome).toMatchObject({ exitReason: 'turn_budget', modelCalls: 4, turns: 4 });
    expect(model.requests).toHaveLength(4);
    expect(executed).toHaveLength(4);
    expect(events.at(-1)).toEqual({ type: 'budget-end', reason: 'turn_budget' });
  });

  it('adds nothing to a conversation that the budget stopped: it ends on the tool result', async () => {
    const { outcome } = await run(always, { config: { maxTurns: 1 } });
    expect(outcome.messages.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('counts one unit for a turn with many tool calls', async () => {
    const calls = Array.from({ length: 20 }, (_, value) => ({
      name: 'echo',
      arguments: { value },
    }));
    const { outcome } = await run([{ tool_calls: calls }, 'Done.'], { config: { maxTurns: 2 } });
    expect(outcome).toMatchObject({ exitReason: 'finished', modelCalls: 2 });
  });

  it('makes no call at all with a budget of none', async () => {
    const { outcome, model } = await run(always, {
      config: { maxTurns: 0, onBudget: 'summarize' },
    });
    expect(outcome).toMatchObject({ exitReason: 'turn_budget', modelCalls: 0, turns: 0 });
    expect(model.requests).toEqual([]);
  });

  it('stops between calls once all tokens are used', async () => {
    // 15 tokens a call: 30 after the second.
    const { outcome, events } = await run(always, { config: { maxTotalTokens: 30 } });
    expect(outcome).toMatchObject({ exitReason: 'token_budget', modelCalls: 2, turns: 2 });
    expect(events.at(-1)).toEqual({ type: 'budget-end', reason: 'token_budget' });
  });

  it('lets an answer stand that used the last token', async () => {
    const { outcome } = await run(['Done.'], { config: { maxTotalTokens: 1 } });
    expect(outcome.exitReason).toBe('finished');
  });

  it('truncates a text that ran into its length limit, and keeps it', async () => {
    const { outcome } = await run([{ content: 'half of the ans', finish_reason: 'length' }]);
    expect(outcome.exitReason).toBe('token_budget');
    expect(outcome.messages.at(-1)).toMatchObject({
      content: 'half of the ans',
      finish_reason: 'length',
    });
  });

  it('truncates reasoning that used up the whole reply, without asking again', async () => {
    const { outcome } = await run([{ reasoning: 'so much', finish_reason: 'length' }]);
    expect(outcome).toMatchObject({ exitReason: 'token_budget', modelCalls: 1, turns: 1 });
  });

  it('never runs a call of a reply that was cut off, even when it looks complete', async () => {
    const { outcome, executed } = await run([
      {
        finish_reason: 'length',
        tool_calls: [
          { name: 'echo', arguments: { value: 1 } },
          { name: 'echo', arguments: '{"value": "half of' },
          { name: 'echo', arguments: '' },
        ],
      },
      'never asked',
    ]);
    expect(executed).toEqual([]);
    expect(outcome).toMatchObject({ exitReason: 'token_budget', modelCalls: 1 });
    expect(outcome.messages.slice(3)).toMatchObject([
      { role: 'tool', status: 'invalid', content: expect.stringContaining('cut off') },
      { role: 'tool', status: 'invalid' },
      { role: 'tool', status: 'invalid' },
    ]);
  });

  it('ends as tool_loop when the same call gives the same result again and again', async () => {
    const { outcome } = await run(() => callEcho('same'), { config: { maxRepeatedCalls: 3 } });
    expect(outcome).toMatchObject({ exitReason: 'tool_loop', turns: 3 });
  });

  it('sees through white space and the order of keys in a repeated call', async () => {
    const texts = ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"a":1,"b":2.0}'];
    const { outcome } = await run(
      (_request, call) => ({ tool_calls: [{ name: 'echo', arguments: texts[call % 3] ?? '' }] }),
      { config: { maxRepeatedCalls: 3 }, execute: answerAll(() => 'same') },
    );
    expect(outcome).toMatchObject({ exitReason: 'tool_loop', turns: 3 });
  });

  it('sees a loop within one turn', async () => {
    const call = { name: 'echo', arguments: { value: 1 } };
    const { outcome } = await run([{ tool_calls: [call, call, call] }], {
      config: { maxRepeatedCalls: 3 },
    });
    expect(outcome.exitReason).toBe('tool_loop');
  });

  it.each([
    ['the result changes', () => callEcho('same'), (call: number) => `result ${call}`],
    ['the arguments change', (_: unknown, call: number) => callEcho(call), () => 'same'],
    [
      'the tool changes',
      (_: unknown, call: number) => ({
        tool_calls: [{ name: call % 2 === 0 ? 'echo' : 'other', arguments: {} }],
      }),
      () => 'same',
    ],
  ])('is no loop while %s', async (_what, script, resultOf) => {
    let count = 0;
    const { outcome } = await run(script, {
      config: { maxRepeatedCalls: 3, maxTurns: 8 },
      execute: answerAll(() => {
        count += 1;
        return resultOf(count);
      }),
    });
    expect(outcome.exitReason).toBe('turn_budget');
  });

  it('ends as invalid_tool_calls after turns in a row with no valid call', async () => {
    const { outcome, executed } = await run(
      (_request, call) => ({ tool_calls: [{ name: 'echo', arguments: `{broken ${call}` }] }),
      { config: { maxInvalidTurns: 3 } },
    );
    expect(outcome).toMatchObject({ exitReason: 'invalid_tool_calls', turns: 3 });
    expect(executed).toEqual([]);
  });

  it('also counts calls that the executor says were invalid, such as unknown tools', async () => {
    const { outcome } = await run(
      (_request, call) => ({ tool_calls: [{ name: `no_such_${call}`, arguments: {} }] }),
      { config: { maxInvalidTurns: 2 }, execute: answerAll(() => ({ status: 'invalid' })) },
    );
    expect(outcome).toMatchObject({ exitReason: 'invalid_tool_calls', turns: 2 });
  });

  it('starts the count of invalid turns anew after one valid call', async () => {
    const broken = (text: string) => ({ name: 'echo', arguments: text });
    const { outcome } = await run(
      [
        { tool_calls: [broken('{1')] },
        { tool_calls: [broken('{2'), { name: 'echo', arguments: { value: 1 } }] },
        { tool_calls: [broken('{3')] },
        'Done.',
      ],
      { config: { maxInvalidTurns: 2 } },
    );
    expect(outcome.exitReason).toBe('finished');
  });
});

describe('the closing summary', () => {
  const config = { maxTurns: 2, onBudget: 'summarize' } as const;

  it('asks once more, without tools, and flags both the request and the reply', async () => {
    const { outcome, model } = await run([callEcho(1), callEcho(2), 'I did two things.'], {
      config,
    });
    expect(outcome).toMatchObject({ exitReason: 'turn_budget', modelCalls: 3, turns: 3 });
    expect(model.requests.map((request) => request.tools.length)).toEqual([1, 1, 0]);
    expect(outcome.messages.slice(-2)).toMatchObject([
      { role: 'user', synthetic: true },
      { role: 'assistant', content: 'I did two things.', summary: true },
    ]);
    expect(outcome.messages.filter((message) => 'summary' in message)).toHaveLength(1);
  });

  it.each([
    ['fails', { failure: 'server_error' as const }],
    ['is empty', ''],
    ['throws', { throws: new Error('bug') }],
  ])('leaves no request behind when the summary %s', async (_what, step) => {
    const { outcome } = await run([callEcho(1), callEcho(2), step], { config });
    expect(outcome).toMatchObject({
      exitReason: 'turn_budget',
      modelFailure: null,
      modelCalls: 3,
      turns: 2,
    });
    expect(outcome.messages.at(-1)?.role).toBe('tool');
  });

  it('does not run calls that the summary makes all the same', async () => {
    const { outcome, executed } = await run([callEcho(1), callEcho(2), callEcho(3)], { config });
    expect(executed).toHaveLength(2);
    expect(outcome.messages.at(-1)).toMatchObject({ role: 'tool', status: 'invalid' });
    expect(outcome.exitReason).toBe('turn_budget');
  });

  it('is cancelled when the rollout is', async () => {
    const controller = new AbortController();
    const { outcome } = await run(
      (_request, call) => {
        if (call === 2) {
          controller.abort();
          return { hang: true };
        }
        return callEcho(call);
      },
      { config, signal: controller.signal },
    );
    expect(outcome.exitReason).toBe('cancelled');
    expect(outcome.messages.at(-1)?.role).toBe('tool');
  });

  it('is not asked for by other budgets', async () => {
    const { outcome } = await run(always, { config: { ...config, maxTotalTokens: 15 } });
    expect(outcome).toMatchObject({ exitReason: 'token_budget', modelCalls: 1 });
  });
});

import { describe, expect, it } from 'vitest';
import { readReply } from '../../../src/agent/read-reply.js';
import type { ModelReply } from '../../../src/models/model.js';
import { callEcho, run } from './agent-fixture.js';

function read(reply: object, ids = new Set<string>()) {
  const place = { turn: 3, model: 'asked:model', ids, summary: false };
  return readReply(reply as Partial<ModelReply>, place);
}

const idsOf = (reply: object, ids?: Set<string>) =>
  read(reply, ids).message.tool_calls.map((call) => call.id);

describe('the ids of tool calls', () => {
  it('are kept where the model gives good ones', () => {
    expect(idsOf({ tool_calls: [{ id: 'x', name: 'a', arguments: '{}' }] })).toEqual(['x']);
  });

  it('are made from turn and place where they are missing, empty or no text', () => {
    const call = { name: 'a', arguments: '{}' };
    expect(
      idsOf({ tool_calls: [{ ...call, id: null }, { ...call, id: '' }, { ...call, id: 5 }, call] }),
    ).toEqual(['call_3_1', 'call_3_2', 'call_3_3', 'call_3_4']);
  });

  it('are replaced where they repeat, within a reply and across turns', () => {
    const call = { id: 'same', name: 'a', arguments: '{}' };
    const ids = new Set<string>();
    expect(idsOf({ tool_calls: [call, call] }, ids)).toEqual(['same', 'call_3_2']);
    expect(idsOf({ tool_calls: [call] }, ids)).toEqual(['call_3_1']);
  });

  it('are unique even when the model uses the very ids that would be made', () => {
    const call = { name: 'a', arguments: '{}' };
    expect(
      idsOf({ tool_calls: [{ ...call, id: 'call_3_2' }, call, { ...call, id: null }] }),
    ).toEqual(['call_3_2', 'call_3_2_2', 'call_3_3']);
  });

  it('that a server repeats in every turn give a conversation in which all differ', async () => {
    const { outcome } = await run([callEcho(1, 'call_0'), callEcho(2, 'call_0'), 'Done.']);
    const ids = outcome.messages.flatMap((message) =>
      message.role === 'tool' ? [message.tool_call_id] : [],
    );
    expect(ids).toEqual(['call_0', 'call_2_1']);
  });
});

describe('the text of a reply', () => {
  it('becomes well-formed Unicode in every field', () => {
    const { message } = read({
      content: 'a\ud800',
      reasoning: '\udfffb',
      model: 'm\ud800',
      tool_calls: [{ id: 'i\ud800', name: 'n\ud800', arguments: '{"a":"\ud800"}' }],
    });
    expect(message).toMatchObject({
      content: 'a\ufffd',
      reasoning: '\ufffdb',
      model: 'm\ufffd',
      tool_calls: [{ id: 'i\ufffd', name: 'n\ufffd', arguments: '{"a":"\ufffd"}' }],
    });
  });

  it('keeps tool names and arguments as the model wrote them', () => {
    const { message } = read({
      tool_calls: [{ id: 'x', name: 'no such tool!', arguments: ' { "b":1, "a" : 2 } ' }],
    });
    expect(message.tool_calls).toEqual([
      { id: 'x', name: 'no such tool!', arguments: ' { "b":1, "a" : 2 } ' },
    ]);
  });

  it('has its reasoning apart from its content', () => {
    const { message } = read({ content: '<think>plan</think>\n\nanswer', reasoning: null });
    expect(message).toMatchObject({ content: 'answer', reasoning: 'plan' });
  });

  it('does not repeat reasoning that came in its field and in the text', () => {
    const { message } = read({ content: '<think>plan</think>answer', reasoning: 'plan' });
    expect(message).toMatchObject({ content: 'answer', reasoning: 'plan' });
  });

  it('joins reasoning that differs in its field and in the text', () => {
    const { message } = read({ content: '<think>more</think>answer', reasoning: 'plan' });
    expect(message.reasoning).toBe('plan\n\nmore');
  });

  it('reads blank reasoning as none', () => {
    expect(read({ content: 'answer', reasoning: ' \n' }).message.reasoning).toBe(null);
  });

  it('carries the state of the provider without looking into it', () => {
    const state = { signature: '\ud800', blocks: [1] };
    expect(read({ content: 'a', provider_state: state }).message.provider_state).toBe(state);
    expect('provider_state' in read({ content: 'a' }).message).toBe(false);
  });
});

describe('a reply of the wrong shape', () => {
  it('reads as absent what has the wrong type', () => {
    const { message, usage, tokens, retries, replayed } = read({
      content: 5,
      reasoning: {},
      tool_calls: 'none',
      finish_reason: 'weird',
      usage: { prompt_tokens: Number.NaN, completion_tokens: -3, cached_tokens: '7' },
      retries: Number.POSITIVE_INFINITY,
      replayed: 'yes',
    });
    expect(message).toEqual({
      role: 'assistant',
      content: '',
      reasoning: null,
      tool_calls: [],
      finish_reason: 'unknown',
      model: 'asked:model',
    });
    expect(usage).toEqual({
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
      source: 'estimate',
    });
    expect({ tokens, retries, replayed }).toEqual({ tokens: null, retries: 0, replayed: false });
  });

  it('counts tokens in whole numbers that a sum can hold', () => {
    const stated = { prompt_tokens: 1.7e308, completion_tokens: 2.4, cached_tokens: 1e19 };
    expect(read({ usage: stated }).usage).toMatchObject({
      prompt_tokens: 0,
      completion_tokens: 2,
      cached_tokens: 0,
    });
  });

  it('survives calls that are null', () => {
    const { message } = read({ tool_calls: [null] });
    expect(message.tool_calls).toEqual([{ id: 'call_3_1', name: '', arguments: '' }]);
  });
});

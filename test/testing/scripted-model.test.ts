import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/messages/message.js';
import { scriptedModel } from '../../testing/scripted-model.js';

const signal = new AbortController().signal;
const request = { messages: [{ role: 'user', content: 'hi' } as Message], tools: [] };

describe('scriptedModel', () => {
  it('plays its steps and then fails', async () => {
    const model = scriptedModel([
      'hello',
      { tool_calls: [{ name: 'ls', arguments: { a: 1 } }] },
      { failure: 'rate_limit' },
    ]);
    expect(await model.generate(request, signal)).toMatchObject({
      ok: true,
      reply: { content: 'hello', finish_reason: 'stop', tool_calls: [] },
    });
    expect(await model.generate(request, signal)).toMatchObject({
      reply: {
        finish_reason: 'tool_calls',
        tool_calls: [{ id: null, name: 'ls', arguments: '{"a":1}' }],
      },
    });
    expect(await model.generate(request, signal)).toMatchObject({
      ok: false,
      failure: { class: 'rate_limit' },
    });
    expect(await model.generate(request, signal)).toMatchObject({
      failure: { class: 'replay_exhausted' },
    });
  });

  it('keeps what each request was, even when the conversation grows later', async () => {
    const model = scriptedModel((_request, call) => `reply ${call}`);
    const messages = [...request.messages];
    await model.generate({ messages, tools: [], seed: 3 }, signal);
    messages.push({ role: 'user', content: 'more' });
    expect(model.requests).toEqual([{ ...request, seed: 3 }]);
  });

  it('hangs until it is aborted, and does not answer an aborted call', async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ hang: true }, 'never said']);
    const hanging = model.generate(request, controller.signal);
    controller.abort();
    expect(await hanging).toMatchObject({ failure: { class: 'cancelled' } });
    expect(await model.generate(request, controller.signal)).toMatchObject({
      failure: { class: 'cancelled' },
    });
  });

  it('rejects where the script says so', async () => {
    const model = scriptedModel([{ throws: new Error('boom') }]);
    await expect(model.generate(request, signal)).rejects.toThrow('boom');
  });
});

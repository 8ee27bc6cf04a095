import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.js';
import type { ModelConfig, ModelRetry } from '../../../../src/models/model-provider.js';
import type { FakeModelReply } from '../../../../testing/fake-model-server/script.js';
import { toolLoop } from '../../../../testing/fake-model-server/tool-loop.js';
import {
  type FakeModelServerOptions,
  startFakeModelServer,
} from '../../../../testing/fake-model-server.js';
import {
  assistant,
  failureOf,
  InstantClock,
  openTestModel,
  replyOf,
  request,
  toolMessage,
  user,
} from '../support.js';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) {
    await clean();
  }
});

interface Setup {
  readonly server?: FakeModelServerOptions;
  readonly config?: Partial<ModelConfig>;
  readonly onRetry?: (retry: ModelRetry) => void;
  readonly realTime?: boolean;
}

async function setUp({ server: options, config, onRetry, realTime }: Setup = {}) {
  const server = await startFakeModelServer(options);
  const clock = new InstantClock();
  const { model, close } = await openTestModel(
    { baseUrl: server.baseUrl, ...config },
    {
      clock: realTime === true ? systemClock : clock,
      rollout: onRetry === undefined ? {} : { onRetry },
    },
  );
  cleanups.push(() => server.close(), close);
  return { server, model, clock };
}

const never = new AbortController().signal;
const answering = (reply: FakeModelReply): Setup => ({ server: { script: () => reply } });

test('a reply comes back with text, reasoning, calls, usage and the model that answered', async () => {
  const { model } = await setUp(
    answering({
      content: 'Let me look.',
      reasoning: 'I should look.',
      toolCalls: [{ id: 'c1', name: 'terminal', arguments: { command: 'ls' } }],
      usage: { prompt_tokens: 9, completion_tokens: 4 },
      model: 'served',
    }),
  );
  expect(replyOf(await model.generate(request(user('hi')), never))).toMatchObject({
    content: 'Let me look.',
    reasoning: 'I should look.',
    tool_calls: [{ id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' }],
    finish_reason: 'tool_calls',
    usage: { prompt_tokens: 9, completion_tokens: 4, source: 'server' },
    model: 'served',
    retries: 0,
  });
});

test('reasoning that came as reasoning_content is sent back, other reasoning is not', async () => {
  for (const [field, expected] of [
    ['reasoning_content', 'why'],
    ['reasoning', undefined],
    ['reasoning_details', undefined],
    ['think', undefined],
  ] as const) {
    const seen: unknown[] = [];
    const { model } = await setUp({
      server: {
        script: ({ messages }) => {
          seen.push(messages.find(({ role }) => role === 'assistant')?.reasoning_content);
          return { content: 'x', reasoning: 'why', reasoningField: field };
        },
      },
    });
    const first = replyOf(await model.generate(request(user('hi')), never));
    expect(first).toMatchObject({ content: 'x', reasoning: 'why' });
    const { content, reasoning, provider_state } = first;
    const turn = assistant({ content, reasoning, provider_state });
    await model.generate(request(user('hi'), turn, user('and?')), never);
    expect(seen).toEqual([undefined, expected]);
  }
});

test('a whole tool loop goes over the wire turn by turn', async () => {
  const { model, server } = await setUp({ server: { script: toolLoop({ turns: 5 }) } });
  const messages = [user('go')];
  for (;;) {
    const reply = replyOf(await model.generate(request(...messages), never));
    const calls = reply.tool_calls.map((call) => ({ ...call, id: call.id ?? 'missing' }));
    messages.push(assistant({ content: reply.content, tool_calls: calls }));
    if (calls.length === 0) {
      break;
    }
    messages.push(...calls.map(({ id }) => toolMessage(id, 'ok')));
  }
  expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(6);
  expect(server.calls().map(({ count }) => count)).toEqual([1, 1, 1, 1, 1, 1]);
});

test('usage that the server leaves out is estimated, and says so', async () => {
  const { model } = await setUp(answering({ content: 'x'.repeat(40), usage: null }));
  const reply = replyOf(await model.generate(request(user('y'.repeat(400))), never));
  expect(reply.usage).toMatchObject({
    prompt_tokens: 100,
    completion_tokens: 10,
    source: 'estimate',
  });
});

test('token ids and log probabilities come through', async () => {
  const { model } = await setUp({
    config: { extraBody: { return_token_ids: true, logprobs: true } },
  });
  const { tokens } = replyOf(await model.generate(request(user('hi')), never));
  expect(tokens?.prompt_ids.length).toBeGreaterThan(0);
  expect(tokens?.completion_ids.length).toBe(tokens?.completion_logprobs.length);
});

test('key and headers go to the server, and no key means no authorization', async () => {
  const { createServer } = await import('node:http');
  const seen: unknown[] = [];
  const server = createServer((incoming, response) => {
    seen.push([incoming.headers.authorization, incoming.headers['x-team']]);
    incoming.resume();
    incoming.on('end', () => response.end('{"choices":[{"message":{"content":"x"}}]}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1/`;
  for (const apiKey of ['secret-key\n', null]) {
    const { model, close } = await openTestModel({ baseUrl, apiKey, headers: { 'X-Team': 'a' } });
    replyOf(await model.generate(request(user('hi')), never));
    await close();
  }
  server.close();
  expect(seen).toEqual([
    ['Bearer secret-key', 'a'],
    [undefined, 'a'],
  ]);
});

describe('failures', () => {
  test('a 429 is waited for as long as it asks, then the call succeeds', async () => {
    const retries: ModelRetry[] = [];
    const { model, server, clock } = await setUp({
      server: { retryAfter: '7' },
      onRetry: (retry) => retries.push(retry),
    });
    const result = await model.generate(request(user('hi [fault:429x2]')), never);
    expect(replyOf(result)).toMatchObject({ content: 'Done.', retries: 2 });
    expect(clock.waits).toEqual([7_500, 7_500]);
    expect(retries.map(({ class: name, attempt }) => [name, attempt])).toEqual([
      ['rate_limit', 1],
      ['rate_limit', 2],
    ]);
    expect(server.calls()).toMatchObject([{ count: 3, answered: 1 }]);
  });

  test.each([
    ['500x1', 'server_error'],
    ['503x1', 'overloaded'],
    ['504x1', 'timeout'],
    ['resetx1', 'connection'],
    ['cutx1', 'connection'],
    ['malformedx1', 'malformed'],
    ['htmlx1', 'malformed'],
    ['no_choicesx1', 'malformed'],
    ['error_in_200x1', 'server_error'],
  ])('%s is tried again', async (fault, name) => {
    const retries: ModelRetry[] = [];
    const { model } = await setUp({ onRetry: (retry) => retries.push(retry) });
    const result = await model.generate(request(user(`hi [fault:${fault}]`)), never);
    expect(replyOf(result)).toMatchObject({ content: 'Done.', retries: 1 });
    expect(retries).toMatchObject([{ class: name }]);
  });

  test.each([
    ['400', 'bad_request'],
    ['401', 'auth'],
    ['402', 'billing'],
    ['404', 'unknown'],
    ['413', 'payload_too_large'],
  ])('%s is not tried again', async (fault, name) => {
    const { model, server } = await setUp();
    const result = await model.generate(request(user(`hi [fault:${fault}]`)), never);
    expect(failureOf(result)).toMatchObject({ class: name, retryable: false, attempts: 1 });
    expect(server.requests).toBe(1);
  });

  test('what stays down is given up after the last retry', async () => {
    const { model, server } = await setUp({ config: { maxRetries: 2 } });
    const failure = failureOf(await model.generate(request(user('hi [fault:500]')), never));
    expect(failure).toMatchObject({
      class: 'server_error',
      retryable: true,
      attempts: 3,
      status: 500,
    });
    expect(server.requests).toBe(3);
  });

  test('an empty reply is a reply', async () => {
    const { model } = await setUp();
    const reply = replyOf(await model.generate(request(user('hi [fault:empty]')), never));
    expect(reply).toMatchObject({ content: '', tool_calls: [], reasoning: null });
  });

  test('a server that hangs is given up after the time limit', async () => {
    const { model } = await setUp({ config: { timeoutMs: 50, maxRetries: 0 }, realTime: true });
    const failure = failureOf(await model.generate(request(user('hi [fault:hang]')), never));
    expect(failure).toMatchObject({ class: 'timeout', retryable: true });
    expect(failure.message).toContain('0.05 s');
  });

  test('where nothing listens, the message says so and names the address', async () => {
    const server = await startFakeModelServer();
    await server.close();
    const { model, close } = await openTestModel({ baseUrl: server.baseUrl, maxRetries: 0 });
    cleanups.push(close);
    const failure = failureOf(await model.generate(request(user('hi')), never));
    expect(failure).toMatchObject({ class: 'connection', retryable: true });
    expect(failure.message).toContain(`nothing listens at ${server.baseUrl}`);
  });

  test('a key that the server quotes does not reach the message', async () => {
    const { model } = await setUp({
      server: {
        fault: () => ({
          type: 'status',
          status: 401,
          error: { message: 'Incorrect API key provided: my-secret-key. Also sk-abcdefghijkl.' },
        }),
      },
      config: { apiKey: 'my-secret-key', apiKeyEnv: 'MY_KEY' },
    });
    const { message } = failureOf(await model.generate(request(user('hi')), never));
    expect(message).toContain('Incorrect API key provided: ***');
    expect(message).toContain('Check the key in MY_KEY');
    expect(message).not.toMatch(/secret|abcdef/);
  });

  test('a wrong path is told from a wrong model, and base_url may be whole or have a slash', async () => {
    const { server } = await setUp();
    const wrong = await openTestModel({ baseUrl: `${server.baseUrl}?key=x` });
    const whole = await openTestModel({ baseUrl: `${server.baseUrl}/chat/completions/` });
    cleanups.push(wrong.close, whole.close);
    expect(replyOf(await wrong.model.generate(request(user('a')), never)).content).toBe('Done.');
    expect(replyOf(await whole.model.generate(request(user('b')), never)).content).toBe('Done.');
    const { model } = await setUp({
      server: { fault: () => ({ type: 'status', status: 404, error: { message: 'Not Found' } }) },
    });
    const failure = failureOf(await model.generate(request(user('c')), never));
    expect(failure).toMatchObject({ class: 'unknown', status: 404 });
    expect(failure.message).toContain('Check model.base_url');
  });
});

describe('aborts', () => {
  test('an abort while the server thinks ends the call at once', async () => {
    const controller = new AbortController();
    const { model } = await setUp({
      server: {
        latencyMs: 60_000,
        script: () => {
          queueMicrotask(() => controller.abort());
          return {};
        },
      },
    });
    const failure = failureOf(await model.generate(request(user('hi')), controller.signal));
    expect(failure).toMatchObject({ class: 'cancelled', retryable: false });
  });

  test('an abort in the middle of a body ends the call at once', async () => {
    const { createServer } = await import('node:http');
    const controller = new AbortController();
    const server = createServer((incoming, response) => {
      incoming.resume();
      incoming.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"choices":', () => setImmediate(() => controller.abort()));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
    const { model, close } = await openTestModel({ baseUrl });
    cleanups.push(close, async () => void server.close());
    const failure = failureOf(await model.generate(request(user('hi')), controller.signal));
    expect(failure.class).toBe('cancelled');
  });

  test('an abort during the wait for a retry ends the call at once', async () => {
    const controller = new AbortController();
    const { model, server } = await setUp({
      server: { retryAfter: '30' },
      realTime: true,
      onRetry: () => queueMicrotask(() => controller.abort()),
    });
    const failure = failureOf(
      await model.generate(request(user('hi [fault:429]')), controller.signal),
    );
    expect(failure.class).toBe('cancelled');
    expect(server.requests).toBe(1);
  });

  test('a signal that was aborted before sends nothing', async () => {
    const { model, server } = await setUp();
    const failure = failureOf(await model.generate(request(user('hi')), AbortSignal.abort()));
    expect(failure.class).toBe('cancelled');
    expect(server.requests).toBe(0);
  });

  test('1,000 calls under one signal leave no listener on it, and need no more than two sockets', async () => {
    const { model, server } = await setUp();
    const { signal } = new AbortController();
    const messages = [user('hi')];
    for (let call = 0; call < 1_000; call++) {
      replyOf(await model.generate(request(...messages), signal));
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(await server.connections()).toBeLessThanOrEqual(2);
  });
});

describe('streams', () => {
  const config = { extraBody: { stream: true } };

  test('a streamed answer is the same reply as a plain one', async () => {
    const reply: FakeModelReply = {
      content: 'Let me look at all of this, in pieces.',
      reasoning: 'I should look, and then think about it.',
      toolCalls: [
        { id: 'a', name: 'terminal', arguments: { command: 'echo one two three' } },
        { id: 'b', name: 'read_file', arguments: { path: '/etc/passwd' } },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 4 },
    };
    const plain = await setUp(answering(reply));
    const streamed = await setUp({ ...answering(reply), config });
    const one = replyOf(await plain.model.generate(request(user('hi')), never));
    const other = replyOf(await streamed.model.generate(request(user('hi')), never));
    expect(other).toEqual({ ...one, seconds: other.seconds });
  });

  test('a stream that is cut is tried again', async () => {
    const { model } = await setUp({ config });
    const reply = replyOf(await model.generate(request(user('hi [fault:cutx1]')), never));
    expect(reply).toMatchObject({ content: 'Done.', retries: 1 });
  });
});

test('two calls at once do not disturb each other', async () => {
  const { model } = await setUp({
    server: { latencyMs: 5, script: ({ messages }) => ({ content: String(messages[0]?.content) }) },
  });
  const texts = ['a'.repeat(9_000), 'b', 'c'.repeat(500)];
  const replies = await Promise.all(
    texts.map((text) => model.generate(request(user(text)), never)),
  );
  expect(replies.map((result) => replyOf(result).content)).toEqual(texts);
});

describe('bad settings are refused when the model is opened', () => {
  test.each<[string, Partial<ModelConfig>, RegExp]>([
    ['an address that is none', { baseUrl: 'localhost:8000' }, /base_url.*http/],
    ['OpenAI without a key', { apiKeyEnv: 'MY_KEY' }, /MY_KEY is empty or not set/],
    [
      'messages among the extra fields',
      { baseUrl: 'http://h/v1', extraBody: { messages: [] } },
      /extra_body.*messages/,
    ],
    ['a key that no header can hold', { baseUrl: 'http://h/v1', apiKey: 'a\nb' }, /cannot carry/],
  ])('%s', async (_what, config, message) => {
    await expect(openTestModel(config)).rejects.toThrow(message);
  });
});

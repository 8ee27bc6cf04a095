import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import type { ModelResult } from '../../../../src/models/model.js';
import { failureOf, InstantClock, openTestModel, replyOf, request, user } from '../support.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((clean) => clean()));
});

interface Answer {
  readonly body: string | Buffer;
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
}

/** What the model makes of a server that always answers this. */
async function ask({ body, status = 200, headers = {} }: Answer): Promise<ModelResult> {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { model, close } = await openTestModel(
    { baseUrl: `http://127.0.0.1:${port}/v1`, maxRetries: 0 },
    { clock: new InstantClock() },
  );
  cleanups.push(close, () => new Promise((resolve) => server.close(resolve)));
  return model.generate(request(user('Hello')), new AbortController().signal);
}

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

const events = { 'content-type': 'text/event-stream' };

test('arguments given as an object that nests too deeply make the answer malformed', async () => {
  const call = `{"id":"c","function":{"name":"t","arguments":{"a":${nested(100_000)}}}}`;
  const message = `{"role":"assistant","tool_calls":[${call}]}`;
  const malformed = { class: 'malformed', retryable: true };
  const plain = await ask({ body: `{"choices":[{"message":${message}}]}` });
  expect(failureOf(plain)).toMatchObject(malformed);
  const chunk = `{"choices":[{"delta":${message},"finish_reason":"stop"}]}`;
  expect(failureOf(await ask({ body: `data: ${chunk}\n\n`, headers: events }))).toMatchObject(
    malformed,
  );
});

test('an error that nests too deeply keeps the class that its status gives it', async () => {
  const deep = nested(100_000);
  const wrapped = `${'{"error":{"metadata":{"raw":'.repeat(50_000)}{}${'}}}'.repeat(50_000)}`;
  for (const body of [`{"error":{"message":${deep}}}`, `{"detail":${deep}}`, wrapped]) {
    expect(failureOf(await ask({ body, status: 500 })).class).toBe('server_error');
    expect(failureOf(await ask({ body, status: 401 })).class).toBe('auth');
  }
  const invalid = `{"detail":[{"loc":${deep},"msg":${deep}}]}`;
  expect(failureOf(await ask({ body: invalid, status: 422 })).class).toBe('bad_request');
  const stated = `{"error":{"message":${deep},"code":502}}`;
  expect(failureOf(await ask({ body: stated })).class).toBe('server_error');
});

test('a page of half tags does not take the square of its length', async () => {
  const page = await ask({ body: '<title'.repeat(200_000), status: 502 });
  expect(failureOf(page).class).toBe('server_error');
});

test('a body that is null is said to be no object, and not a stream that ended', async () => {
  expect(failureOf(await ask({ body: 'null' })).message).toContain('not a JSON object');
});

test('an answer with every field null is an empty reply', async () => {
  const message = { role: null, content: null, tool_calls: null, reasoning_content: null };
  const choices = [{ index: null, message, finish_reason: null }];
  const reply = replyOf(await ask({ body: JSON.stringify({ choices, usage: null, model: null }) }));
  expect(reply).toMatchObject({
    content: '',
    reasoning: null,
    tool_calls: [],
    model: 'test-model',
  });
});

test('an answer that unpacks to more than any reply is malformed, and not read into memory', async () => {
  const body = gzipSync(Buffer.alloc(100 << 20, ' '));
  const failure = failureOf(await ask({ body, headers: { 'content-encoding': 'gzip' } }));
  expect(failure).toMatchObject({ class: 'malformed', retryable: true });
  expect(failure.message).toContain('more than 64 MB');
});

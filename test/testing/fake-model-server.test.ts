import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { faultsInPrompt } from '../../testing/fake-model-server/fault.js';
import type { FakeModelRequest } from '../../testing/fake-model-server/script.js';
import { toolLoop } from '../../testing/fake-model-server/tool-loop.js';
import {
  type FakeModelServer,
  type FakeModelServerOptions,
  startFakeModelServer,
} from '../../testing/fake-model-server.js';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options?: FakeModelServerOptions): Promise<FakeModelServer> {
  const server = await startFakeModelServer(options);
  servers.push(server);
  return server;
}

function ask(server: FakeModelServer | { baseUrl: string }, body: object): Promise<Response> {
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

interface Answer {
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: object;
    readonly token_ids?: readonly number[];
  }[];
  readonly prompt_token_ids?: readonly number[];
  readonly data?: readonly object[];
}

const read = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Answer;

const user = (content: string) => ({ role: 'user', content });
const turn = { role: 'assistant', content: null, tool_calls: [] };

describe('the tool loop', () => {
  test.each([true, false])(
    'calls until the conversation has so many turns, then answers (fast: %s)',
    async (fast) => {
      const server = await start({ fast, script: toolLoop({ turns: 2, tool: 'terminal' }) });
      const messageFor = async (turns: number) => {
        const answer = await ask(server, { messages: [user('go'), ...Array(turns).fill(turn)] });
        return (await read(answer)).choices[0];
      };
      expect(await messageFor(0)).toMatchObject({ finish_reason: 'tool_calls' });
      expect(await messageFor(1)).toMatchObject({
        message: { tool_calls: [{ id: 'call_1_0', function: { name: 'terminal' } }] },
      });
      expect(await messageFor(2)).toMatchObject({
        finish_reason: 'stop',
        message: { content: 'Done.', reasoning_content: expect.any(String) },
      });
      expect(await messageFor(1)).toMatchObject({ finish_reason: 'tool_calls' });
    },
  );
});

test('the script sees the conversation, the tools and the seed', async () => {
  const seen: FakeModelRequest[] = [];
  const server = await start({
    script: (request) => {
      seen.push(request);
      return {};
    },
  });
  const tools = [{ type: 'function', function: { name: 't' } }];
  await ask(server, { model: 'm', messages: [user('go'), turn], tools, seed: 5 });
  expect(seen).toMatchObject([
    { model: 'm', assistantTurns: 1, tools: ['t'], seed: 5, attempt: 1 },
  ]);
});

test('requests are counted by conversation and seed', async () => {
  const server = await start();
  for (const [text, seed] of [
    ['a', 1],
    ['a', 1],
    ['a', 2],
    ['b', 1],
  ] as const) {
    await (await ask(server, { messages: [user(text)], seed })).text();
  }
  expect(server.calls().map(({ count }) => count)).toEqual([2, 1, 1]);
  expect(server.requests).toBe(4);
  const overHttp = await fetch(server.baseUrl.replace('/v1', '/__calls'));
  expect(await overHttp.json()).toEqual(server.calls());
});

test('a failed request is counted and not answered', async () => {
  const server = await start({ retryAfter: '3' });
  const body = { messages: [user('[fault:429x1]')] };
  const first = await ask(server, body);
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '3']);
  expect((await ask(server, body)).status).toBe(200);
  expect(server.calls()).toMatchObject([{ count: 2, answered: 1 }]);
});

test('a fault hits each state of a conversation, or the one that it names', async () => {
  const server = await start();
  const statusOf = async (text: string, turns: number) =>
    (await ask(server, { messages: [user(text), ...Array(turns).fill(turn)] })).status;
  expect([await statusOf('[fault:500x1]', 0), await statusOf('[fault:500x1]', 1)]).toEqual([
    500, 500,
  ]);
  expect([await statusOf('[fault:500x1]', 0), await statusOf('[fault:500x1]', 1)]).toEqual([
    200, 200,
  ]);
  expect([await statusOf('[fault:500@1]', 0), await statusOf('[fault:500@1]', 1)]).toEqual([
    200, 500,
  ]);
});

test('fast mode finds markers too', async () => {
  const server = await start({ fast: true });
  expect((await ask(server, { messages: [user('[fault:503]')] })).status).toBe(503);
});

test.each([
  ['[fault:cut]', [{ fault: { type: 'cut' }, times: Number.POSITIVE_INFINITY, turn: null }]],
  ['a [fault:resetx2@3] b', [{ fault: { type: 'reset' }, times: 2, turn: 3 }]],
  ['[fault:429x2][fault:hang@1]', [{ times: 2 }, { turn: 1 }]],
  ['[fault:nonsense]', []],
  ['fault:500', []],
])('the markers of %s are read', (prompt, expected) => {
  expect(faultsInPrompt(prompt)).toMatchObject(expected);
});

test('answers are padded outside of the conversation', async () => {
  const server = await start({ replyBytes: 20_000 });
  const text = await (await ask(server, { messages: [user('a')] })).text();
  expect(text.length).toBeGreaterThan(19_900);
  expect(JSON.parse(text).choices[0].message.content).toBe('Done.');
});

test('a stream ends with usage, where it is asked for, and a done mark', async () => {
  const server = await start();
  const body = { messages: [user('a')], stream: true, stream_options: { include_usage: true } };
  const response = await ask(server, body);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = (await response.text()).trim().split('\n\n');
  expect(events.at(-1)).toBe('data: [DONE]');
  expect(events.at(-2)).toContain('"usage"');
});

test('token ids of a conversation grow by appending', async () => {
  const server = await start({ script: () => ({ content: 'some answer' }) });
  const first = await read(ask(server, { messages: [user('a')], return_token_ids: true }));
  const later = { messages: [user('a'), { role: 'assistant', content: 'some answer' }, user('b')] };
  const second = await read(ask(server, { ...later, return_token_ids: true }));
  const before = [...(first.prompt_token_ids ?? []), ...(first.choices[0]?.token_ids ?? [])];
  expect(before.length).toBeGreaterThan(2);
  expect(second.prompt_token_ids?.slice(0, before.length)).toEqual(before);
});

test('a script that throws is told from a fault', async () => {
  const server = await start({
    script: () => {
      throw new Error('oops');
    },
  });
  const response = await ask(server, { messages: [] });
  expect(response.status).toBe(501);
  expect(await response.text()).toContain('oops');
});

test('what is no chat request is refused, and other paths are not found', async () => {
  const server = await start();
  expect((await ask(server, { prompt: 'x' })).status).toBe(400);
  expect((await fetch(`${server.baseUrl}/completions`, { method: 'POST' })).status).toBe(404);
  expect((await read(fetch(`${server.baseUrl}/models`))).data).toMatchObject([{ id: 'fake' }]);
});

test('as a process of its own it prints its address and ends with its standard input', async () => {
  const main = fileURLToPath(
    new URL('../../dist/testing/fake-model-server/main.js', import.meta.url),
  );
  const child = spawn(process.execPath, [main, '--turns', '1', '--fast', '--until-stdin-ends'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  const { baseUrl, pid } = JSON.parse(String(line));
  expect(pid).toBe(child.pid);
  const answer = await read(ask({ baseUrl }, { messages: [user('go')] }));
  expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
  child.stdin.end();
  expect(await ended).toBe(0);
});

// CPU of one model call through the `openai` provider, divided by that of a bare `undici` request with the same body, at
// bodies of 2 KB and 200 KB. The server is a process of its own. Prints one line of JSON.
// `first`: every call encodes its whole conversation, as the first call of a rollout does. `later`: every call has one
// turn more than the one before it, as the later calls of a rollout do.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { systemClock } from '../../dist/src/clock.js';
import { openModel } from '../../dist/src/models/open-model.js';

const inFlight = 32;
const turnsPerRollout = 10;
const rounds = 5;
const server = spawn(
  process.execPath,
  [
    fileURLToPath(new URL('../../dist/testing/fake-model-server/main.js', import.meta.url)),
    ...['--fast', '--until-stdin-ends', '--latency-ms', '5', '--turns', '1000'],
  ],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const { baseUrl } = JSON.parse(
  await new Promise((resolve) => server.stdout.once('data', (data) => resolve(String(data)))),
);

const connection = await openModel(
  {
    use: 'openai:bench',
    baseUrl,
    apiKey: 'bench-key',
    apiKeyEnv: null,
    temperature: 1,
    topP: null,
    maxTokens: 1024,
    stop: [],
    extraBody: {},
    headers: {},
    reasoningEffort: null,
    maxRetries: 0,
    retryBudgetMs: 0,
    timeoutMs: 60_000,
    connections: inFlight,
    replayPath: null,
    price: null,
  },
  { clock: systemClock, random: Math.random },
);
const agent = new Agent({ connections: inFlight, pipelining: 1 });
const { origin, pathname } = new URL(`${baseUrl}/chat/completions`);

function conversation(bytes, turns) {
  const each = Math.max(1, Math.floor(bytes / (turns + 1)) - 180);
  const messages = [{ role: 'user', content: 'word '.repeat(Math.ceil(each / 5)) }];
  for (let turn = 0; turn < turns; turn++) {
    const id = `call_${turn}`;
    messages.push(
      {
        role: 'assistant',
        content: '',
        reasoning: null,
        tool_calls: [{ id, name: 'terminal', arguments: '{"command":"true"}' }],
        finish_reason: 'tool_calls',
        model: 'bench',
      },
      { role: 'tool', tool_call_id: id, content: 'word '.repeat(Math.ceil(each / 5)) },
    );
  }
  return messages;
}

function wire(messages) {
  return JSON.stringify({
    messages: messages.map(({ role, content, tool_calls, tool_call_id }) => ({
      role,
      content,
      ...(tool_call_id === undefined ? {} : { tool_call_id }),
      ...(tool_calls?.length > 0
        ? {
            tool_calls: tool_calls.map(({ id, name, arguments: text }) => ({
              id,
              type: 'function',
              function: { name, arguments: text },
            })),
          }
        : {}),
    })),
    model: 'bench',
    temperature: 1,
    max_tokens: 1024,
  });
}

async function bare(body) {
  const response = await agent.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench-key' },
    body,
  });
  await response.body.json();
}

const rollout = { task: {}, taskKey: 'bench', sample: 0, seed: 0 };
async function call(model, messages, signal) {
  const result = await model.generate({ messages, tools: [] }, signal);
  if (!result.ok) {
    throw new Error(result.failure.message);
  }
}

/** Milliseconds of CPU for each call, with so many rollouts at once. */
async function cpu(calls, oneRollout) {
  let started = 0;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (started < calls) {
        started += turnsPerRollout;
        await oneRollout();
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / Math.max(calls, started);
}

async function measure(bytes, calls) {
  // The mean body of a rollout has the size that is asked for.
  const messages = conversation(bytes * 2, turnsPerRollout - 1);
  const steps = Array.from({ length: turnsPerRollout }, (_, turn) =>
    messages.slice(0, 2 * turn + 1),
  );
  const bodies = steps.map(wire);
  const whole = conversation(bytes, 3);
  const wholeBody = wire(whole);
  const kinds = {
    bareLater: async () => {
      for (const body of bodies) {
        await bare(body);
      }
    },
    later: async () => {
      const model = connection.forRollout(rollout);
      const { signal } = new AbortController();
      for (const step of steps) {
        await call(model, step, signal);
      }
    },
    bareFirst: async () => {
      for (let turn = 0; turn < turnsPerRollout; turn++) {
        await bare(wholeBody);
      }
    },
    first: async () => {
      const { signal } = new AbortController();
      for (let turn = 0; turn < turnsPerRollout; turn++) {
        await call(connection.forRollout(rollout), whole, signal);
      }
    },
  };
  const times = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [kind, run] of Object.entries(kinds)) {
      const milliseconds = await cpu(calls, run);
      // The first round warms up.
      if (round > 0) {
        times[kind] = [...(times[kind] ?? []), milliseconds];
      }
    }
  }
  const median = (kind) => times[kind].sort((a, b) => a - b)[Math.floor(rounds / 2)];
  const round = (value) => Number(value.toFixed(3));
  return {
    body_bytes: Buffer.byteLength(wholeBody),
    bare_ms: round(median('bareFirst')),
    first_ms: round(median('first')),
    first_ratio: round(median('first') / median('bareFirst')),
    later_bare_ms: round(median('bareLater')),
    later_ms: round(median('later')),
    later_ratio: round(median('later') / median('bareLater')),
  };
}

const result = {
  bench: 'model-call',
  node: process.version,
  small: await measure(2_000, 2_000),
  large: await measure(200_000, 600),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
await connection.close();
await agent.close();
server.stdin.end();

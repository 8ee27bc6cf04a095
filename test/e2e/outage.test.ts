import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeFault,
  type FakeModelServer,
  runInline,
  startFakeModelServer,
} from '../../dist/testing/index.js';

let server: FakeModelServer;
/** What each request meets; null: an answer. */
let fault: (turns: number, attempt: number) => FakeFault | null;

beforeEach(async () => {
  fault = () => null;
  server = await startFakeModelServer({
    fault: ({ assistantTurns, attempt }) => fault(assistantTurns, attempt),
    script: ({ assistantTurns }) =>
      assistantTurns === 0
        ? { toolCalls: [{ name: 'terminal', arguments: { command: 'echo yes > answer' } }] }
        : { content: 'Done.' },
  });
});
afterEach(() => server.close());

const args = ['run', 'run.yaml', '--out', 'run'];
const files = ({ model = '', agent = '', agentTimeout = 2 } = {}) => ({
  'tasks/one/task.yaml': `schema: talaria/1\nagent_timeout_s: ${agentTimeout}\n`,
  'tasks/one/instruction.md': 'Write yes into the file answer.\n',
  'tasks/one/tests/test.sh': 'grep -q yes answer\n',
  'run.yaml': `environment: { kind: tasks, path: tasks }
model: { use: "openai:fake", base_url: "${server.baseUrl}", ${model} }
toolsets: { enabled: [terminal] }
sandbox: { kind: local, trust: true }
agent: { ${agent} }
run: { max_attempts: 1 }
`,
});

describe('a model server that is down for longer than a task may take', () => {
  it.each<[string, FakeFault, string]>([
    ['throttles with Retry-After', { type: 'status', status: 429, retryAfter: '1' }, ''],
    ['hangs', { type: 'hang' }, 'timeout_s: 1'],
    ['drops the connection', { type: 'reset' }, ''],
  ])('costs the agent none of its time when it %s at first', async (_what, down, model) => {
    let until = 0;
    fault = () => {
      until ||= Date.now() + 2_500;
      return Date.now() < until ? down : null;
    };
    const result = await runInline({ files: files({ model }), args });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(await result.records()).toMatchObject([
      { status: 'completed', exit_reason: 'finished', reward: 1 },
    ]);
    await result.remove();
  });

  it.each<[string, FakeFault, string, string]>([
    ['503', { type: 'status', status: 503, retryAfter: '1' }, 'max_retries: 2', 'overloaded'],
    ['no answer', { type: 'hang' }, 'timeout_s: 2.5, max_retries: 0', 'timeout'],
  ])('leaves a failure without a score, which --resume makes good: %s', async (...row) => {
    const [, down, model, errorClass] = row;
    fault = (turns) => (turns === 1 ? down : null);
    const first = await runInline({ files: files({ model }), args });
    expect(await first.records()).toMatchObject([
      {
        status: 'failed',
        error: { class: errorClass, retryable: true },
        rewards: [],
        reward: null,
      },
    ]);
    fault = () => null;
    const mended = await runInline({
      folder: first.folder,
      files: {},
      args: [...args, '--resume'],
    });
    expect(mended.exitCode, mended.stderr).toBe(0);
    expect(await mended.records()).toMatchObject([{ status: 'completed', reward: 1 }]);
    await first.remove();
  });

  it.each<[string, FakeFault, string]>([
    ['still hangs in the first request', { type: 'hang' }, 'timeout'],
    ['still throttles', { type: 'status', status: 429, retryAfter: '1' }, 'rate_limit'],
  ])('is a failure, not a truncation, when it %s at the wall limit', async (_what, down, name) => {
    fault = () => down;
    const first = await runInline({ files: files({ agent: 'max_wall_s: 3' }), args });
    const [record] = await first.records();
    expect(record).toMatchObject({
      status: 'failed',
      exit_reason: 'model_error',
      error: { class: name, message: expect.stringContaining('max_wall_s'), retryable: true },
      rewards: [],
      reward: null,
    });
    fault = () => null;
    const mended = await runInline({
      folder: first.folder,
      files: {},
      args: [...args, '--resume'],
    });
    expect(mended.stats().counts.byStatus).toMatchObject({ completed: 1, failed: 0 });
    await first.remove();
  });
});

it('a slow answer is working time: it is kept, and ends the rollout by its deadline', async () => {
  await server.close();
  server = await startFakeModelServer({ latencyMs: 800, script: () => todoCall });
  const result = await runInline({ files: files({ agentTimeout: 0.5 }), args });
  expect(await result.records()).toMatchObject([
    { status: 'truncated', exit_reason: 'deadline', turns: 1, reward: 0 },
  ]);
  await result.remove();
});

describe('a request that is too large for the server (413)', () => {
  it('is a failure when it is the first of a rollout: the agent had no part in it', async () => {
    fault = () => ({ type: 'status', status: 413 });
    const first = await runInline({ files: files(), args });
    expect(await first.records()).toMatchObject([
      { status: 'failed', error: { class: 'payload_too_large' }, rewards: [], reward: null },
    ]);
    fault = () => null;
    const mended = await runInline({
      folder: first.folder,
      files: {},
      args: [...args, '--resume'],
    });
    expect(await mended.records()).toMatchObject([{ status: 'completed', reward: 1 }]);
    await first.remove();
  });

  it('is an overflow of the context when the conversation has grown to it', async () => {
    fault = (turns) => (turns === 1 ? { type: 'status', status: 413 } : null);
    const result = await runInline({ files: files(), args });
    expect(await result.records()).toMatchObject([
      { status: 'truncated', exit_reason: 'context_overflow', reward: 1 },
    ]);
    await result.remove();
  });
});

const todoCall = { toolCalls: [{ name: 'terminal', arguments: { command: 'true' } }] };

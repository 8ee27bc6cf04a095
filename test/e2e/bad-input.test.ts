import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FakeModelServer,
  type InlineRun,
  runInline,
  startFakeModelServer,
} from '../../dist/testing/index.js';

let server: FakeModelServer;
beforeAll(async () => {
  server = await startFakeModelServer();
});
afterAll(() => server.close());

const row = '{"prompt": "Say hello."}\n';

interface Case {
  readonly config?: (baseUrl: string) => string;
  readonly prompts?: string;
  readonly args?: readonly string[];
}

function goodConfig(baseUrl: string): string {
  return `
environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${baseUrl}" }
toolsets: { enabled: [todo] }
`;
}

async function run({ config = goodConfig, prompts = row, args = [] }: Case): Promise<InlineRun> {
  const result = await runInline({
    files: { 'prompts.jsonl': prompts, 'run.yaml': config(server.baseUrl) },
    args: ['run', 'run.yaml', '--out', 'run', ...args],
  });
  await result.remove();
  return result;
}

/** Exit code 2, one message that says all this, no stack, and no model call. */
async function expectRefused(bad: Case, ...mentions: readonly (string | RegExp)[]): Promise<void> {
  const before = server.requests;
  const { exitCode, stderr } = await run(bad);
  for (const mention of mentions) {
    expect(stderr).toMatch(mention);
  }
  expect(exitCode, stderr).toBe(2);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(server.requests).toBe(before);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('bad input ends with 2 before anything is paid, and says what to do', () => {
  it('an unknown configuration key, with the nearest one', () =>
    expectRefused(
      { config: (url) => `${goodConfig(url)}agent: { max_turn: 3 }\n` },
      /max_turn/,
      /max_turns/,
      /run\.yaml/,
    ));

  it('an unknown distribution, with the nearest one', () =>
    expectRefused(
      {
        config: (url) => goodConfig(url).replace('enabled: [todo]', 'distribution: terminal_task'),
      },
      /terminal_task\b/,
      /terminal_tasks/,
    ));

  it('an unknown toolset', () =>
    expectRefused(
      { config: (url) => goodConfig(url).replace('[todo]', '[tood]') },
      /tood/,
      /todo/,
    ));

  it('an unknown model provider', () =>
    expectRefused(
      { config: (url) => goodConfig(url).replace('openai:', 'opanai:') },
      /opanai/,
      /openai/,
    ));

  it('a data set that is not there', () =>
    expectRefused(
      { config: (url) => goodConfig(url).replace('prompts.jsonl', 'missing.jsonl') },
      /missing\.jsonl/,
    ));

  it('a reward module that is not there, before anything is written', () =>
    expectRefused(
      { config: (url) => `${goodConfig(url)}rewards: [./nope.mjs]\n` },
      /reward module .*nope\.mjs does not exist/,
      /^(?!Starting)/,
    ));

  it('a line that is not JSON, with file and line', () =>
    expectRefused({ prompts: `${row}${row}{"prompt": oops}\n` }, /prompts\.jsonl/, /3/));

  it('a row without a prompt, with file and line', () =>
    expectRefused({ prompts: `${row}{"text": "x"}\n` }, /prompts\.jsonl/, /2/, /prompt/));

  it('an empty data set', () => expectRefused({ prompts: '\n\n' }, /prompts\.jsonl/));

  it('an API key variable that is not set', () =>
    expectRefused(
      {
        config: (url) => goodConfig(url).replace('model: {', 'model: { api_key_env: NO_SUCH_KEY,'),
      },
      /NO_SUCH_KEY/,
    ));

  it('a port that refuses', async () => {
    const port = await freePort();
    await expectRefused(
      { config: () => goodConfig(`http://127.0.0.1:${port}/v1`) },
      new RegExp(`127\\.0\\.0\\.1:${port}`),
    );
  });

  it('a value of the wrong type', () =>
    expectRefused({ args: ['--set', 'run.concurrency=many'] }, /run\.concurrency/, /many/));

  it('an unknown flag', () => expectRefused({ args: ['--resum'] }, /--resum/, /--resume/));

  it('a configuration file that is not YAML', () =>
    expectRefused({ config: () => 'model: {use: [\n' }, /run\.yaml/));
});

describe('bad rows with on_bad_row: skip', () => {
  it('are left out and counted', async () => {
    const result = await run({
      prompts: `${row}{"prompt": oops}\n{"prompt": 7}\n`,
      config: (url) =>
        goodConfig(url).replace('kind: prompts,', 'kind: prompts, on_bad_row: skip,'),
    });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stdout + result.stderr).toMatch(/2 .*(rows|lines)/);
  });
});

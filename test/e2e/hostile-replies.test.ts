import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FakeModelReply,
  type FakeModelServer,
  type InlineRun,
  runInline,
  startFakeModelServer,
} from '../../dist/testing/index.js';

const evil = 'a\u001b[2J\n\u001b]0;owned\u0007\u009b31m\u0085b\u0000';

/** What the model says first to a prompt that is a name of this table; then, and to others, it says `Done.` */
const replies: { readonly [name: string]: FakeModelReply } = {
  'usage beyond all numbers': {
    content: 'Fine.',
    usage: { prompt_tokens: 1.7e308, completion_tokens: 1.7e308 },
  },
  'names and texts that a terminal would obey': {
    content: evil,
    reasoning: evil,
    toolCalls: [
      { id: evil, name: evil, arguments: { command: evil } },
      { name: 'n'.repeat(100_000), arguments: evil },
    ],
    model: evil,
  },
  'an error that a terminal would obey': {
    fault: { type: 'error_in_200', error: { message: evil } },
  },
};

let server: FakeModelServer;
beforeAll(async () => {
  server = await startFakeModelServer({
    script: ({ messages, assistantTurns }) => {
      const asked = messages.find((message) => message.role === 'user')?.content;
      const first = assistantTurns === 0 ? replies[String(asked)] : undefined;
      return { reasoning: 'Let us see.', ...(first ?? { content: 'Done.' }) };
    },
  });
});
afterAll(() => server.close());

/** Runs these prompts and an ordinary one, which must end well whatever became of the others. */
async function ask(...prompts: readonly string[]): Promise<InlineRun> {
  const rows = [...prompts, 'ordinary'].map((prompt) => `${JSON.stringify({ prompt })}\n`);
  const run = await runInline({
    files: {
      'prompts.jsonl': rows.join(''),
      'run.yaml': `
environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}", max_retries: 0, timeout_s: 20 }
toolsets: { enabled: [todo] }
run: { max_attempts: 1, fail_on_error: 1, canary: false }
export: [hermes]
`,
    },
    args: ['run', 'run.yaml', '--out', 'run'],
  });
  expect(run.exitCode, run.stderr).toBe(0);
  const records = await run.records();
  expect(records.find(({ task }) => task.prompt === 'ordinary')?.status).toBe('completed');
  expect(records).toHaveLength(rows.length);
  return run;
}

describe('a run whose model server', () => {
  it('states a usage that no number holds goes on, and counts by itself', async () => {
    const run = await ask('usage beyond all numbers');
    const [record] = await run.records();
    expect(record).toMatchObject({ status: 'completed', usage: { source: 'estimate' } });
    expect(run.stats().counts.promptTokens).toBeLessThan(1e6);
    await run.remove();
  });

  it('writes escape sequences into names and errors reaches no terminal with them', async () => {
    const run = await ask(
      'names and texts that a terminal would obey',
      'an error that a terminal would obey',
      evil.replaceAll('\u0000', ''),
    );
    const { folder } = run;
    const commands = [
      ['stats', 'run'],
      ['stats', 'run', '--json'],
      ...(await run.records()).flatMap(({ task_key: key }) => [
        ['show', 'run', key],
        ['show', 'run', key, '--full'],
        ['show', 'run', key, '--json'],
      ]),
      ['export', 'run', '--format', 'records', '--out', '-'],
      ['export', 'run', '--format', 'hermes', '--out', '-'],
      ['run', 'run.yaml', '--out', 'again', '--json'],
    ];
    const outputs = [run];
    for (const args of commands) {
      outputs.push(await runInline({ files: {}, folder, args }));
    }
    for (const [index, { stdout, stderr, exitCode }] of outputs.entries()) {
      const said = `${commands[index - 1]?.join(' ') ?? 'run'}\n${stderr}`;
      expect(exitCode, said).toBe(0);
      expect(
        [...stdout, ...stderr].filter((character) => /[^\P{Cc}\n]/u.test(character)),
        said,
      ).toEqual([]);
    }
    const longest = Math.max(...(outputs[1]?.stdout.split('\n') ?? []).map((line) => line.length));
    expect(longest, 'a table stays readable').toBeLessThan(200);
    await run.remove();
  }, 60_000);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FakeModelReply,
  type FakeModelServer,
  type InlineRun,
  runInline,
  startFakeModelServer,
} from '../../dist/testing/index.js';

/** What the model says first to a prompt that is a name of this table; then, and to others, it says `Done.` */
const replies: { readonly [name: string]: FakeModelReply } = {
  'usage beyond all numbers': {
    content: 'Fine.',
    usage: { prompt_tokens: 1.7e308, completion_tokens: 1.7e308 },
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
});

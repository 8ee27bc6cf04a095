import { expect, it } from 'vitest';
import { runInline, startFakeModelServer } from '../../dist/testing/index.js';

it('a command that would ruin the host is refused in a local sandbox, told to the model, and counted', async () => {
  const server = await startFakeModelServer({
    script: ({ assistantTurns }) =>
      assistantTurns === 0
        ? { toolCalls: [{ name: 'terminal', arguments: { command: 'sudo rm -rf /usr' } }] }
        : { content: 'I may not.' },
  });
  const result = await runInline({
    files: {
      'prompts.jsonl': '{"prompt": "Clean up."}\n',
      'run.yaml': `environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}" }
toolsets: { enabled: [terminal] }
sandbox: { kind: local, trust: true }
`,
    },
    args: ['run', 'run.yaml', '--out', 'run'],
  });
  expect(result.exitCode, result.stderr).toBe(0);
  const [record] = await result.records();
  expect(record?.annotations).toMatchObject({ blocked_commands: 1 });
  expect(record?.tool_stats['terminal']).toMatchObject({ count: 1, failure: 1 });
  const answer = record?.messages.find((message) => message.role === 'tool');
  expect(answer?.content).toContain('it removes /usr with all that is in it');
  await result.remove();
  await server.close();
});

import { expect, it } from 'vitest';
import { runInline, startFakeModelServer } from '../../dist/testing/index.js';

it('a rollout that outlives its wall limit ends by its deadline, and is not run again', async () => {
  const server = await startFakeModelServer({
    script: () => ({ toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 60' } }] }),
  });
  const files = {
    'prompts.jsonl': '{"prompt": "Wait for ever."}\n',
    'run.yaml': `environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}" }
toolsets: { enabled: [terminal] }
sandbox: { kind: local, trust: true }
agent: { max_wall_s: 1.5 }
`,
  };
  const args = ['run', 'run.yaml', '--out', 'run'];
  const first = await runInline({ files, args });
  expect(first.exitCode, first.stderr).toBe(0);
  expect(first.stats().byExitReason).toEqual({ deadline: 1 });
  const again = await runInline({ folder: first.folder, files: {}, args: [...args, '--resume'] });
  expect(again.exitCode).toBe(0);
  expect(server.requests).toBe(1);
  await first.remove();
  await server.close();
});

it('a rollout that blocks its worker past the wall limit is ended with it, and the others finish', async () => {
  const result = await runInline({
    files: {
      'stuck.mjs': `export const environment = {
  name: 'stuck',
  async *tasks() {
    for (let index = 0; index < 20; index += 1) {
      yield { id: 'task-' + index, prompt: 'Task ' + index };
    }
  },
  prompt(task) {
    while (task.id === 'task-3') {}
    return task.prompt;
  },
};
`,
      'run.yaml': `environment: { module: ./stuck.mjs }
model: { use: nop }
toolsets: { enabled: [todo] }
agent: { max_wall_s: 1 }
run: { concurrency: 4, threads: 2, grace_s: 1 }
`,
    },
    args: ['run', 'run.yaml', '--out', 'run'],
  });
  expect(result.stats().counts.byStatus).toMatchObject({ completed: 19, failed: 1 });
  expect(result.stats().byErrorClass).toEqual({ worker_crash: 1 });
  await result.remove();
});

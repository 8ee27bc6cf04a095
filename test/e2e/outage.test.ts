import { expect, it } from 'vitest';
import {
  type FakeModelRequest,
  type FakeModelServer,
  runInline,
  startFakeModelServer,
} from '../../dist/testing/index.js';

const task = {
  'tasks/t/task.yaml': 'schema: talaria/1\nid: t\n',
  'tasks/t/instruction.md': 'Do it.\n',
  'tasks/t/tests/test.sh': 'test -f done\n',
};

function files(server: FakeModelServer, limits: string) {
  return {
    ...task,
    'run.yaml': `environment: { kind: tasks, path: tasks }
model: { use: "openai:fake", base_url: "${server.baseUrl}", retry_budget_s: 20 }
toolsets: { enabled: [terminal] }
sandbox: { kind: local, trust: true }
agent: ${limits}
run: { max_attempts: 1 }
`,
  };
}

const args = ['run', 'run.yaml', '--out', 'run', '--no-canary'];

/** Writes the file, then says so. */
function work({ assistantTurns }: FakeModelRequest) {
  return assistantTurns === 0
    ? { toolCalls: [{ name: 'terminal', arguments: { command: 'touch done' } }] }
    : { content: 'Done.' };
}

it('a server that is down for longer than the agent may work costs the agent no time', async () => {
  const server = await startFakeModelServer({
    script: work,
    fault: ({ assistantTurns, attempt }) =>
      assistantTurns === 1 && attempt <= 2
        ? { type: 'status', status: 503, retryAfter: '1' }
        : null,
  });
  const result = await runInline({ files: files(server, '{ deadline_s: 1.5 }'), args });
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.stats().byExitReason).toEqual({ finished: 1 });
  expect(result.stats().rewards).toMatchObject([{ name: 'tests', mean: 1 }]);
  await result.remove();
  await server.close();
});

it.each([
  ['down when its wall limit comes', 1, '{ deadline_s: 60, max_wall_s: 3 }'],
  ['down from the first request on', 0, '{ deadline_s: 60, max_wall_s: 2 }'],
])(
  'a rollout whose server is %s is failed, never scored, and goes on with --resume',
  async (_name, turn, limits) => {
    let down = true;
    const server = await startFakeModelServer({
      script: work,
      fault: ({ assistantTurns }) =>
        down && assistantTurns === turn ? { type: 'status', status: 503, retryAfter: '1' } : null,
    });
    const first = await runInline({ files: files(server, limits), args });
    expect(first.stats().counts.byStatus).toMatchObject({ failed: 1, truncated: 0 });
    expect(first.stats().byErrorClass).toEqual({ overloaded: 1 });
    expect(first.stats().rewards).toEqual([]);
    down = false;
    const again = await runInline({ folder: first.folder, files: {}, args: [...args, '--resume'] });
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stats().counts.byStatus).toMatchObject({ completed: 1 });
    expect(again.stats().rewards).toMatchObject([{ name: 'tests', mean: 1 }]);
    await first.remove();
    await server.close();
  },
);

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInline, startFakeModelServer, toolLoop } from '../../dist/testing/index.js';

/** A model whose answers come at once for prompts of even number, and never for the others. */
async function halfAnsweringServer() {
  const script = toolLoop({ turns: 1, tool: 'todo', arguments: {} });
  return startFakeModelServer({
    script: async (request) => {
      const prompt = String(request.messages.find(({ role }) => role === 'user')?.content);
      const reply = await script(request);
      const stuck = Number(prompt) % 2 === 1 && request.assistantTurns === 1;
      return stuck ? { ...reply, latencyMs: 600_000 } : reply;
    },
  });
}

it('stats, show and export work while the batch runs, on what is finished by then', async () => {
  const server = await halfAnsweringServer();
  const rows = Array.from({ length: 8 }, (_, index) =>
    JSON.stringify({ id: `n${index}`, prompt: `${index}` }),
  );
  const files = {
    'prompts.jsonl': `${rows.join('\n')}\n`,
    'run.yaml': `environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}" }
toolsets: { enabled: [todo] }
run: { grace_s: 0.1 }
`,
  };
  const { folder } = await runInline({ files, args: ['--version'] });
  const running = runInline({
    folder,
    files: {},
    args: ['run', 'run.yaml', '--out', 'run'],
    kill: { signal: 'SIGKILL', afterMs: 15_000 },
  });
  const command = (...args: string[]) => runInline({ folder, files: {}, args });
  const completed = async () => {
    const { stdout } = await command('stats', 'run', '--json');
    return /"completed": ?(\d+)/.exec(stdout)?.[1];
  };
  while ((await completed()) !== '4') {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  const exported = await command('export', 'run', '--format', 'records', '--out', 'out.jsonl');
  expect(exported.exitCode, exported.stderr).toBe(0);
  const lines = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).task.id)).toEqual(['n0', 'n2', 'n4', 'n6']);
  const finished = await command('show', 'run', 'n2');
  expect(finished.stdout).toContain('Done.');
  const unfinished = await command('show', 'run', 'n3');
  expect(unfinished.exitCode, unfinished.stderr).toBe(0);
  expect(unfinished.stdout).toContain('Step 1');

  await server.close();
  await running;
  await exported.remove();
}, 60_000);

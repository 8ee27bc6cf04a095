import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInline, startFakeModelServer } from '../../dist/testing/index.js';
import { cliPath } from '../helpers/cli-path.js';

it('a run that a living process writes is refused to a second one, by name of the process', async () => {
  const server = await startFakeModelServer({ latencyMs: 60_000 });
  const folder = await mkdtemp(join(tmpdir(), 'talaria-lock-'));
  await writeFile(join(folder, 'prompts.jsonl'), '{"prompt": "Wait."}\n');
  await writeFile(
    join(folder, 'run.yaml'),
    `environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}" }
toolsets: { enabled: [todo] }
`,
  );
  const args = ['run', 'run.yaml', '--out', 'run'];
  const holder = spawn(process.execPath, [cliPath, ...args], { cwd: folder, stdio: 'ignore' });
  while (server.requests === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const second = await runInline({ folder, files: {}, args: [...args, '--resume'] });
  holder.kill('SIGKILL');
  await server.close();
  await rm(folder, { recursive: true, force: true });
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain(String(holder.pid));
});

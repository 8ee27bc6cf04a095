import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeModelServer } from '../../../dist/testing/index.js';
import { cliPath } from '../../helpers/cli-path.js';
import { dockerClient, testImages } from '../../helpers/docker-images.js';

/** `TALARIA_KILLS=20 npm run test:engine -- runner-kill` is the long form. */
const kills = Number(process.env['TALARIA_KILLS'] ?? 5);
const containers = 50;

/** Ids of containers that a process owns, running or not. */
function containersOf(pid: number | undefined): readonly string[] {
  const format = '{{.ID}} {{.State}} {{.Label "talaria.owner"}}';
  return dockerClient('ps', '--all', '--filter', 'label=talaria.owner', '--format', format)
    .split('\n')
    .filter((line) => line.includes(`-${pid}-`));
}

it(`${kills} kills of a runner with ${containers} containers up leave none of them after the next start, and a stranger’s alone`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-runner-kill-'));
  const server = await startFakeModelServer({
    script: () => ({ toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 600' } }] }),
  });
  const stranger = dockerClient('run', '--detach', testImages.busybox, 'sleep', '3600').trim();
  onTestFinished(async () => {
    dockerClient('rm', '--force', stranger);
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const prompts = Array.from({ length: containers }, (_, index) => ({ prompt: `Wait ${index}.` }));
  writeFileSync(
    join(folder, 'prompts.jsonl'),
    prompts.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
  writeFileSync(
    join(folder, 'run.yaml'),
    `environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}" }
sandbox: { kind: docker, image: ${testImages.busybox} }
toolsets: { enabled: [terminal] }
run: { concurrency: ${containers} }
`,
  );
  const start = (name: string, ...args: string[]) =>
    spawn(process.execPath, [cliPath, 'run', 'run.yaml', '--out', name, ...args], {
      cwd: folder,
      stdio: 'ignore',
    });
  for (let round = 0; round < kills; round += 1) {
    const runner = start(`run-${round}`);
    await expect
      .poll(() => containersOf(runner.pid).filter((line) => line.includes(' running ')).length, {
        timeout: 120_000,
        interval: 250,
      })
      .toBe(containers);
    // Not always with all of them at rest: the next ones are just being removed or made.
    await new Promise((resolve) => setTimeout(resolve, round * 100));
    runner.kill('SIGKILL');
    await new Promise((resolve) => runner.once('exit', resolve));
    const next = start(`next-${round}`, '--limit', '1', '--set', 'model.use=nop');
    await new Promise((resolve) => next.once('exit', resolve));
    expect(containersOf(runner.pid)).toEqual([]);
    expect(containersOf(next.pid)).toEqual([]);
    expect(dockerClient('inspect', '--format', '{{.State.Running}}', stranger).trim()).toBe('true');
  }
  expect(dockerClient('ps', '--all', '--quiet', '--filter', 'label=talaria.owner')).toBe('');
}, 900_000);

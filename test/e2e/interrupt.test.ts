import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeModelServer,
  runInline,
  startFakeModelServer,
  toolLoop,
} from '../../dist/testing/index.js';
import { cliPath } from '../helpers/cli-path.js';

let folder: string;
let server: FakeModelServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-interrupt-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function begin(latencyMs: number, extra = ''): Promise<ChildProcess & { output(): string }> {
  server = await startFakeModelServer({ latencyMs, script: toolLoop({ turns: 1 }) });
  const rows = Array.from({ length: 200 }, (_, index) => JSON.stringify({ prompt: `P${index}` }));
  await writeFile(join(folder, 'prompts.jsonl'), `${rows.join('\n')}\n`);
  await writeFile(
    join(folder, 'run.yaml'),
    `environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}" }
toolsets: { enabled: [terminal] }
sandbox: { kind: local, trust: true }
run: { concurrency: 8, threads: 1${extra} }
`,
  );
  const child = spawn(process.execPath, [cliPath, 'run', 'run.yaml', '--out', 'run'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return Object.assign(child, { output: () => text });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('close', resolve));

describe('Ctrl-C', () => {
  it('once lets what runs finish, starts nothing new, ends with 130 and prints how to go on', async () => {
    const child = await begin(300);
    await until(() => server.requests >= 8);
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
    expect(child.output()).toContain('--resume');
    const { counts } = (await runInline({ folder, files: {}, args: ['--version'] })).stats();
    expect(counts.byStatus.completed).toBeGreaterThanOrEqual(8);
    expect(counts.byStatus.completed).toBeLessThan(40);
    expect(counts.byStatus.cancelled).toBe(0);
  });

  it('twice cancels at once, and the run goes on later', async () => {
    const child = await begin(20_000);
    await until(() => server.requests >= 8);
    child.kill('SIGINT');
    await until(() => child.output().includes('Interrupted:'));
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
    const { counts } = (await runInline({ folder, files: {}, args: ['--version'] })).stats();
    expect(counts.byStatus.completed).toBe(0);
    expect(counts.pending).toBe(200);
  });

  it('cancels what does not end within the grace period', async () => {
    const child = await begin(20_000, ', grace_s: 0.2');
    await until(() => server.requests >= 8);
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
  });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeFault,
  type FakeModelServer,
  runInline,
  startFakeModelServer,
} from '../../dist/testing/index.js';

let server: FakeModelServer;
let fault: FakeFault | null = null;

beforeEach(async () => {
  fault = null;
  server = await startFakeModelServer({ fault: () => fault });
});
afterEach(() => server.close());

const rows = Array.from({ length: 60 }, (_, index) => JSON.stringify({ prompt: `P${index}` }));
const args = ['run', 'run.yaml', '--out', 'run'];

const files = (model: string, run: string) => ({
  'prompts.jsonl': `${rows.join('\n')}\n`,
  'run.yaml': `environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}", ${model} }
toolsets: { enabled: [todo] }
run: { concurrency: 4, ${run} }
`,
});

describe('a run that makes no sense to go on with', () => {
  // 401 lies outside of every rollout; 400 might lie in one of them, but not in the first five.
  it.each([
    [401, /failed with auth/],
    [400, /failed with bad_request/],
  ])(
    'stops with 3 when five of the first ten rollouts get a %d, and does them all once it is mended',
    async (status, reason) => {
      fault = { type: 'status', status };
      const first = await runInline({ files: files('max_retries: 0', 'max_attempts: 1'), args });
      expect(first.exitCode, first.stderr).toBe(3);
      expect(first.stderr).toMatch(reason);
      expect(first.stderr).toContain('--resume');
      expect(server.requests).toBeLessThan(15);
      fault = null;
      const { folder } = first;
      const mended = await runInline({ folder, files: {}, args: [...args, '--resume'] });
      await first.remove();
      expect(mended.exitCode, mended.stderr).toBe(0);
      expect(mended.stdout).toContain('60 rollouts: 60 completed');
    },
  );

  it('runs on regardless with --no-canary, and ends with 1', async () => {
    fault = { type: 'status', status: 401 };
    const first = await runInline({
      files: files('max_retries: 0', 'max_attempts: 1'),
      args: [...args, '--no-canary'],
    });
    expect(first.exitCode, first.stderr).toBe(1);
    expect(first.stats().byErrorClass).toEqual({ auth: 60 });
    await first.remove();
  });

  it('tries again, at the next start, what an empty account refused in the middle of the run', async () => {
    const first = await runInline({
      files: files('max_retries: 0', 'max_attempts: 1, fail_on_error: 1'),
      args: [...args, '--limit', '20'],
    });
    fault = { type: 'status', status: 402 };
    const { folder } = first;
    const broke = await runInline({
      folder,
      files: {},
      args: [...args, '--resume', '--no-canary'],
    });
    fault = null;
    const paid = await runInline({ folder, files: {}, args: [...args, '--resume'] });
    await first.remove();
    expect(broke.stdout).toContain('20 completed, 40 failed, 40 to do (40 of them again)');
    expect(paid.stdout).toContain('60 rollouts: 60 completed');
    expect(server.requests).toBe(20 + 40 + 40);
  });

  it('stops with 3 at its cost cap, and --resume with a higher one pays only for the rest', async () => {
    const price = 'price: { prompt: 1000, cached: 100, completion: 1000 }';
    const first = await runInline({ files: files(price, 'max_cost_usd: 2'), args });
    expect(first.exitCode, first.stderr).toBe(3);
    expect(first.stderr).toMatch(/cost cap/);
    const spent = first.stats().counts.costUsd ?? 0;
    expect(spent).toBeGreaterThanOrEqual(2);
    expect(server.requests).toBeLessThan(60);
    const before = server.requests;
    const unraised = await runInline({
      folder: first.folder,
      files: {},
      args: [...args, '--resume'],
    });
    expect(unraised.exitCode, unraised.stderr).toBe(3);
    expect(unraised.stderr).toMatch(/the cost cap is reached/);
    expect(server.requests).toBe(before);
    const again = await runInline({
      folder: first.folder,
      files: files(price, 'max_cost_usd: 1000'),
      args: [...args, '--resume'],
    });
    expect(again.exitCode, again.stderr).toBe(0);
    expect(server.requests).toBe(60);
    const finished = await runInline({
      folder: first.folder,
      files: files(price, 'max_cost_usd: 2'),
      args: [...args, '--resume'],
    });
    expect(finished).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Nothing to do'),
    });
    await first.remove();
  });

  it('stops with 3 within seconds when its run.db is deleted, though no reply comes for a minute', async () => {
    const slow = await startFakeModelServer({ latencyMs: 60_000 });
    const config = files('max_retries: 0', 'grace_s: 1');
    const yaml = config['run.yaml'].replace(server.baseUrl, slow.baseUrl);
    const { folder, remove } = await runInline({
      files: { ...config, 'run.yaml': yaml },
      args: ['--version'],
    });
    const running = runInline({ folder, files: {}, args });
    while (slow.requests === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    rmSync(join(folder, 'run', 'run.db'));
    const { exitCode, stderr } = await running;
    await slow.close();
    await remove();
    expect(exitCode, stderr).toBe(3);
    expect(stderr).toMatch(/run\.db was deleted while the run was writing it.*run\.db\.rescued/);
    expect(stderr).not.toMatch(/rollout \w+#0 failed/);
  }, 40_000);

  it('says that a cost cap stops nothing where the price is unknown', async () => {
    const first = await runInline({
      files: files('max_retries: 1', 'max_cost_usd: 2'),
      args: [...args, '--quiet'],
    });
    await first.remove();
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.stderr).toMatch(/warning: run\.max_cost_usd \(2\) stops nothing.*model\.price/);
  });
});

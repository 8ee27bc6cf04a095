import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeModelServer,
  type InlineRun,
  runInline,
  startFakeModelServer,
  toolLoop,
} from '../../dist/testing/index.js';
import { killWhen } from '../helpers/kill-when.js';

const prompts = Array.from({ length: 12 }, (_, index) => `Prompt ${index}`);
const jsonLines = (rows: readonly string[]) =>
  `${rows.map((prompt) => JSON.stringify({ prompt })).join('\n')}\n`;

const config = (server: FakeModelServer, extra = '') => `
environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:fake", base_url: "${server.baseUrl}" }
toolsets: { enabled: [todo] }
run: { concurrency: 4, threads: 1, fail_on_error: 1 }
${extra}`;

const run = ['run', 'run.yaml', '--out', 'run'];
const resume = [...run, '--resume'];

describe('a finished run that is run again', () => {
  let server: FakeModelServer;
  let first: InlineRun;

  async function finish(extra = ''): Promise<void> {
    server = await startFakeModelServer();
    first = await runInline({
      files: { 'prompts.jsonl': jsonLines(prompts), 'run.yaml': config(server, extra) },
      args: run,
    });
    expect(first.exitCode, first.stderr).toBe(0);
    expect(server.requests).toBe(12);
  }

  afterEach(async () => {
    await first.remove();
    await server.close();
  });

  it('asks the model nothing, says so, and ends with 0', async () => {
    await finish();
    const again = await runInline({ folder: first.folder, files: {}, args: resume });
    expect(again.exitCode).toBe(0);
    expect(again.stdout + again.stderr).toMatch(/nothing to do.*0 model calls/i);
    expect(server.requests).toBe(12);
  });

  it('runs only a row that was inserted, when rows were reordered and one was removed too', async () => {
    await finish();
    const edited = [
      'Prompt 7',
      'A new prompt',
      ...prompts
        .filter((prompt) => prompt !== 'Prompt 7')
        .slice(1)
        .reverse(),
    ];
    const again = await runInline({
      folder: first.folder,
      files: { 'prompts.jsonl': jsonLines(edited) },
      args: resume,
    });
    expect(again.exitCode, again.stderr).toBe(0);
    expect(server.requests).toBe(13);
    const records = await again.records();
    expect(records.map((record) => record.task.prompt)).toContain('A new prompt');
  });

  it('runs only what more samples add', async () => {
    await finish();
    await runInline({
      folder: first.folder,
      files: {},
      args: [...resume, '--set', 'run.samples=2'],
    });
    expect(server.requests).toBe(24);
  });

  it('is refused without --resume, and says that it would help', async () => {
    await finish();
    const again = await runInline({ folder: first.folder, files: {}, args: run });
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('--resume');
    expect(server.requests).toBe(12);
  });

  it('is refused when an identity setting changed, with both values', async () => {
    await finish();
    const again = await runInline({
      folder: first.folder,
      files: {},
      args: [...resume, '--set', 'agent.max_turns=7'],
    });
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toMatch(/agent\.max_turns/);
    expect(again.stderr).toMatch(/30/);
    expect(again.stderr).toMatch(/7/);
    expect(server.requests).toBe(12);
  });

  it('takes changed transport settings', async () => {
    await finish();
    const again = await runInline({
      folder: first.folder,
      files: {},
      args: [...resume, '--set', 'run.concurrency=9', '--set', 'model.max_retries=1'],
    });
    expect(again.exitCode, again.stderr).toBe(0);
  });
});

describe('rollouts that failed', () => {
  it('run again on --resume when their failure can pass, and only they', async () => {
    let broken = true;
    const server = await startFakeModelServer({
      fault: (request) =>
        broken && JSON.stringify(request.messages).includes('Prompt 3')
          ? { type: 'status', status: 503 }
          : null,
    });
    const files = {
      'prompts.jsonl': jsonLines(prompts),
      'run.yaml': config(server)
        .replace('run: {', 'run: { max_attempts: 1,')
        .replace('model: {', 'model: { max_retries: 0,'),
    };
    const first = await runInline({ files, args: run });
    expect(first.stats().counts.byStatus).toMatchObject({ completed: 11, failed: 1 });
    broken = false;
    const before = server.requests;
    const again = await runInline({ folder: first.folder, files: {}, args: resume });
    expect(again.stats().counts.byStatus).toMatchObject({ completed: 12, failed: 0 });
    expect(server.requests - before).toBe(1);
    await first.remove();
    await server.close();
  });
});

describe('commands that do not repeat their results', () => {
  it('make an interrupted rollout start over; the waste is counted and nobody is told of a failure', async () => {
    const server = await startFakeModelServer({
      latencyMs: 100,
      script: toolLoop({ turns: 4, arguments: { command: 'date +%N' } }),
    });
    const files = {
      'prompts.jsonl': jsonLines(prompts),
      'run.yaml': config(server, 'sandbox: { kind: local, trust: true }').replace(
        '[todo]',
        '[terminal]',
      ),
    };
    const first = await runInline({ files, args: ['--version'] });
    await killWhen(first.folder, run, () => server.requests >= 14);
    const again = await runInline({ folder: first.folder, files: {}, args: resume });
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stderr).not.toContain('replay_diverged');
    const { counts, wastedCalls } = again.stats();
    expect(counts.byStatus).toMatchObject({ completed: 12 });
    expect(wastedCalls).toBeGreaterThan(0);
    const inFlight = 4;
    expect(server.requests - counts.modelCalls - wastedCalls).toBeLessThanOrEqual(inFlight);
    await first.remove();
    await server.close();
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallest } from '../config/config-fixture.js';
import { counts, failures, record, talaria } from './cli-fixture.js';

const files = { 'c.yaml': smallest };

describe('talaria run', () => {
  it('ends with 0, a table of twenty tasks at most, the totals and the place of the run', async () => {
    const { code, stdout, stderr } = await talaria(['run', 'c.yaml'], { files });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^task +samples +passed +turns +seconds\n/);
    expect(stdout.split('\n').filter((line) => /^(word|0{12})/.test(line))).toHaveLength(20);
    expect(stdout).toMatch(/^word-count +2 +1 +5 +1\.3$/m);
    expect(stdout).toMatch(/^000000000000 +2 +- +5/m);
    expect(stdout).toContain('... and 5 more tasks\n');
    expect(stdout).toContain(
      '4 rollouts: 4 completed; mean reward 0.750; 9 model calls in this start',
    );
    expect(stdout).toContain('Run: runs/c\n');
    expect(stderr).not.toContain('talaria:');
  });

  it('shows one trajectory of a small run, and none of a large one', async () => {
    const setup = { files, records: [record()] };
    expect((await talaria(['run', 'c.yaml'], setup)).stdout).toContain('reward tests: 1');
    const large = { ...setup, result: { counts: counts({ rollouts: 51 }) } };
    expect((await talaria(['run', 'c.yaml'], large)).stdout).not.toContain('reward tests: 1');
  });

  it('writes the exports of the configuration once it is done, and only then', async () => {
    const setup = { files: { 'c.yaml': `${smallest}export: [hermes]\n` }, records: [record()] };
    const done = await talaria(['run', 'c.yaml'], setup);
    expect(done.stdout).toContain('Export: runs/c/export/hermes.jsonl');
    expect(readFileSync(join(done.cwd, 'runs/c/export/hermes.jsonl'), 'utf8')).toBe('k1#0\n');
    const stopped = await talaria(['run', 'c.yaml'], { ...setup, result: { end: 'stopped' } });
    expect(stopped.stdout).not.toContain('Export:');
  });

  it('ends with 1 and a sentence when more failed than fail_on_error allows', async () => {
    const { code, stderr } = await talaria(['run', 'c.yaml'], {
      files,
      result: { counts: failures(1) },
    });
    expect(code).toBe(1);
    expect(stderr).toContain(
      '1 of 4 rollouts failed (25 %), more than run.fail_on_error allows (10 %).',
    );
    const allowed = await talaria(['run', 'c.yaml', '--fail-on-error', '0.25'], {
      files,
      result: { counts: failures(1) },
    });
    expect(allowed.code).toBe(0);
  });

  it('ends with 3 and the command that goes on when a limit stopped it', async () => {
    const { code, stderr } = await talaria(['run', 'c.yaml', '--max-cost-usd=1', '--name', 'a-b'], {
      files,
      result: { end: 'stopped', reason: 'the cost cap of $1.00 was reached' },
    });
    expect(code).toBe(3);
    expect(stderr).toContain(
      'Stopped: the cost cap of $1.00 was reached. Go on with:\n  talaria run c.yaml --max-cost-usd=1 --name a-b --resume\n',
    );
  });

  it.each([
    ['stopped', { end: 'stopped', reason: 'the cost cap was reached' }, 3],
    ['interrupted', { end: 'interrupted', reason: 'interrupted' }, 130],
    ['failed too often', { counts: failures(1) }, 1],
  ] as const)('writes JSON alone with --json when the run %s', async (_name, result, exitCode) => {
    const { code, stdout, stderr } = await talaria(['run', 'c.yaml', '--json'], { files, result });
    expect(code).toBe(exitCode);
    const parsed = JSON.parse(stdout);
    expect(parsed).toMatchObject({ exit_code: exitCode, directory: expect.any(String) });
    expect(parsed.reason).toMatch(/cost cap|interrupted|fail_on_error/);
    expect(parsed.resume_command).toBe(
      exitCode === 1 ? null : 'talaria run c.yaml --json --resume',
    );
    for (const line of stderr.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ type: expect.any(String) });
    }
  });

  it('says that nothing is to do when a finished run is run again', async () => {
    const { code, stdout, batches } = await talaria(['run', 'c.yaml', '--resume'], {
      files,
      result: { finishedNow: 0, modelCalls: 0 },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Nothing to do, 0 model calls: all 4 rollouts have their outcome\.\n/);
    expect(batches[0]?.resume).toBe(true);
  });

  it('says of what is to do how much of it was begun already, so that the sum is that of the rollouts', async () => {
    const byStatus = { completed: 1, truncated: 0, failed: 0, cancelled: 2, discarded: 0 };
    const { stdout } = await talaria(['run', 'c.yaml'], {
      files,
      result: { end: 'interrupted', counts: counts({ pending: 3, byStatus }) },
    });
    expect(stdout).toContain('4 rollouts: 1 completed, 2 cancelled, 3 to do (2 of them again);');
  });

  it('drains on the first Ctrl-C, cancels on the second, and prints how to go on', async () => {
    const levels: boolean[][] = [];
    const { code, stderr } = await talaria(['run', 'c.yaml'], {
      files,
      result: { end: 'interrupted' },
      during(send, { drain, cancel }) {
        for (let press = 0; press < 2; press++) {
          send('SIGINT');
          levels.push([drain.aborted, cancel.aborted]);
        }
      },
    });
    expect(code).toBe(130);
    expect(levels).toEqual([
      [true, false],
      [true, true],
    ]);
    expect(stderr).toMatch(/no new work; what runs may finish within 30 s.*Cancelling at once\./s);
    expect(stderr).toContain('Interrupted. Go on with:\n  talaria run c.yaml --resume\n');
  });

  it.each(['SIGTERM', 'SIGHUP'])('drains on %s', async (signal) => {
    const { batches } = await talaria(['run', 'c.yaml'], { files, during: (send) => send(signal) });
    expect(batches[0]?.drain.aborted).toBe(true);
    expect(batches[0]?.cancel.aborted).toBe(false);
  });

  it('does not cancel when the terminal hangs up twice', async () => {
    const { batches } = await talaria(['run', 'c.yaml'], {
      files,
      during(send) {
        send('SIGHUP');
        send('SIGHUP');
      },
    });
    expect(batches[0]?.cancel.aborted).toBe(false);
  });

  it('goes on at a hang-up without a terminal, as under nohup, and says so', async () => {
    const { code, stderr, batches } = await talaria(['run', 'c.yaml'], {
      files,
      hasTerminal: false,
      during: (send) => send('SIGHUP'),
    });
    expect(code).toBe(0);
    expect(batches[0]?.drain.aborted).toBe(false);
    expect(stderr).toContain('A hang-up is ignored');
  });

  it('leaves at the third Ctrl-C, with the display ended first', async () => {
    let left = false;
    const { stderr } = await talaria(['run', 'c.yaml', '--json'], {
      files,
      onLeave: () => {
        left = true;
      },
      during(send) {
        for (let press = 0; press < 3; press++) {
          send('SIGINT');
        }
      },
    });
    expect(left).toBe(true);
    expect(stderr.match(/"type":"end"/g)).toHaveLength(2);
  });

  it('gives up the exports on Ctrl-C, and ends as interrupted', async () => {
    let interrupt = () => {};
    const { code, stdout, stderr } = await talaria(['run', 'c.yaml'], {
      files: { ...files, 'c.yaml': `${files['c.yaml']}export: [hermes]\n` },
      services: {
        writeExport({ signal }) {
          interrupt();
          return Promise.reject(signal?.reason);
        },
      },
      during: (send) => {
        interrupt = () => send('SIGINT');
      },
    });
    expect(code).toBe(130);
    expect(stdout).not.toContain('Export:');
    expect(stderr).toContain('Interrupted. Go on with:');
    expect(stderr).not.toContain('no new work');
  });

  it('keeps an API key out of the command that it prints', async () => {
    const { stderr, batches } = await talaria(
      ['run', 'c.yaml', '--api_key=sk-secret', '--api-key', 'sk-other'],
      { files, result: { end: 'interrupted' } },
    );
    expect(batches[0]?.config.model.apiKey).toBe('sk-other');
    expect(stderr).not.toMatch(/sk-/);
    expect(stderr).toContain('talaria run c.yaml --api_key=... --api-key ... --resume');
  });

  it('prints one JSON object on stdout with --json, and JSON lines on stderr', async () => {
    const { stdout, stderr } = await talaria(['run', 'c.yaml', '--json'], { files });
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'c',
      end: 'done',
      exit_code: 0,
      model_calls: 9,
    });
    for (const line of stderr.trim().split('\n')) {
      expect(JSON.parse(line)).toHaveProperty('type');
    }
  });

  it('goes on with a run that is given by its directory', async () => {
    const { batches, cwd } = await talaria(['run', 'runs/x', '--resume'], {
      files: { 'runs/x/run.yaml': `name: x\n${smallest}` },
    });
    expect(batches[0]?.config).toMatchObject({ name: 'x', out: join(cwd, 'runs/x') });
  });

  it('passes --no-canary, --limit, --out and --set on', async () => {
    const argv = [
      'run',
      'c.yaml',
      '--no-canary',
      '--limit',
      '3',
      '--out',
      'o',
      '--set',
      'run.seed=9',
    ];
    const { batches, cwd } = await talaria(argv, { files });
    expect(batches[0]?.config).toMatchObject({
      out: join(cwd, 'o'),
      run: { canary: false, limit: 3, seed: 9 },
    });
  });

  it('calls no model in a dry run', async () => {
    const { code, stdout, batches } = await talaria(['run', 'c.yaml', '--dry-run'], {
      files,
      services: {
        dryRun: async () => ({
          environment: 'prompts',
          tasks: 3,
          samples: 2,
          rollouts: 6,
          mergedRows: 1,
          skippedRows: 0,
          draws: [
            { toolsets: ['terminal', 'file'], rollouts: 5 },
            { toolsets: [], rollouts: 1 },
          ],
          drawnRollouts: 6,
          skippedToolsets: ['moa'],
          first: {
            taskKey: 'abc',
            id: null,
            system: 'Be good.',
            user: 'Hi \u001b[2J',
            tools: [{ name: 'terminal', description: 'd', parameters: {} }],
          },
          disk: { bytes: 1e6, turnsAssumed: 10, bytesPerTurn: 2048 },
        }),
      },
    });
    expect(code).toBe(0);
    expect(batches).toEqual([]);
    expect(stdout).toContain('3 tasks x 2 samples = 6 rollouts; 1 row merged');
    expect(stdout).toMatch(/^terminal, file +5 +83\.3%$/m);
    expect(stdout).toContain('left out: moa');
    expect(stdout).toContain('{"name":"terminal","description":"d","parameters":{}}');
    expect(stdout).not.toContain('\u001b');
  });

  it('shows an error for the user with 2, a full disk with 3, and calls anything else a bug with 1', async () => {
    const { TalariaError } = await import('../../../src/errors.js');
    const failing = (error: Error) =>
      talaria(['run', 'c.yaml'], {
        files,
        services: { runBatch: () => Promise.reject(error) },
      });
    const locked = new TalariaError({ code: 'run_locked', message: 'Locked.' });
    expect(await failing(locked)).toMatchObject({ code: 2, stdout: '' });
    const full = new TalariaError({ code: 'store_failed', message: 'Disk is full.' });
    const stored = await failing(full);
    expect(stored.code).toBe(3);
    expect(stored.stderr).toContain('talaria: Disk is full.\n');
    const bug = await failing(new TypeError('x is not a function'));
    expect(bug.code).toBe(1);
    expect(bug.stderr).toContain('This is a bug in Talaria.');
    expect(bug.stderr).not.toContain('at ');
  });
});

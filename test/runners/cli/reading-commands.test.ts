import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { record, talaria } from './cli-fixture.js';

const runs = ['runs/my-run'];
const records = [record(), record({ task_key: 'k2', status: 'failed', reward: null })];

describe('talaria export', () => {
  it('writes into the run by default, and to --out where it is given', async () => {
    const argv = ['export', 'my-run', '--format', 'hermes'];
    const inside = await talaria(argv, { runs, records });
    expect(inside.stdout).toBe('2 rows: runs/my-run/export/hermes.jsonl\n');
    const outside = await talaria([...argv, '--out', 'x/y.jsonl'], { runs, records });
    expect(readFileSync(join(outside.cwd, 'x/y.jsonl'), 'utf8')).toBe('k1#0\nk2#0\n');
  });

  it('writes rows alone to stdout with --out -', async () => {
    const argv = ['export', 'runs/my-run', '--format', 'hermes', '--out', '-'];
    const { stdout, stderr } = await talaria(argv, { runs, records });
    expect(stdout).toBe('k1#0\nk2#0\n');
    expect(stderr).toContain('flagged: odd 2');
  });

  it('stops quietly when nobody reads stdout any more', async () => {
    const argv = ['export', 'my-run', '--format', 'hermes', '--out', '-'];
    const { code, stdout } = await talaria(argv, { runs, records, readerLeavesAfter: 1 });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'k1#0\n' });
  });

  it('takes only what --where asks for', async () => {
    const rows = async (where: string) =>
      (
        await talaria(['export', 'my-run', '--format', 'h', '--out', '-', '--where', where], {
          runs,
          records,
        })
      ).stdout;
    expect(await rows('status=completed')).toBe('k1#0\n');
    expect(await rows('status=failed|truncated')).toBe('k2#0\n');
    expect(await rows('reward>=1')).toBe('k1#0\n');
    expect(await rows('status=failed, reward>=1')).toBe('');
  });

  it.each([
    ['stats=completed', 'cannot read "stats=completed"; did you mean "status"?'],
    ['status=complete', 'unknown status "complete"; did you mean "completed"?'],
    ['reward=1', 'cannot read "reward=1"'],
    ['reward>=much', 'expected a number after reward>=, got "much"'],
    [
      'status=completed,status=failed',
      'status is given twice. One of several is written status=A|B.',
    ],
    ['exit_reason=finish', 'unknown exit reason "finish"; did you mean "finished"?'],
  ])('refuses --where %s', async (where, message) => {
    const { code, stderr } = await talaria(
      ['export', 'my-run', '--format', 'h', '--where', where],
      { runs },
    );
    expect(code).toBe(2);
    expect(stderr).toContain(`talaria: --where: ${message}`);
  });

  it("takes the user's preamble from a file", async () => {
    const argv = ['export', 'my-run', '--format', 'h', '--out', '-', '--system-preamble', 'p.txt'];
    const { stdout } = await talaria(argv, {
      runs,
      records: [record()],
      files: { 'p.txt': 'Hello ' },
    });
    expect(stdout).toBe('Hello k1#0\n');
  });
});

describe('talaria stats', () => {
  it('prints counts, rewards, tools, reasoning, tokens and cost', async () => {
    const { stdout } = await talaria(['stats', 'my-run'], { runs });
    for (const text of [
      'completed',
      'finished',
      'Mean reward: 0.750',
      '3 of 9 (33.3%)',
      'Cost: unknown',
    ]) {
      expect(stdout).toContain(text);
    }
    expect(stdout).toMatch(/^terminal +8 +7 +1$/m);
  });

  it('prints the same as JSON, with null for what is unknown', async () => {
    const { stdout } = await talaria(['stats', 'runs/my-run', '--json'], { runs });
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'my-run',
      rollouts: 4,
      by_status: { completed: 4 },
      mean_reward: 0.75,
      cost_usd: null,
      reasoning: { turns: 9, turns_with_reasoning: 3 },
      tools: { terminal: { count: 8 } },
    });
  });

  it('names the nearest run when there is none of this name', async () => {
    const { code, stderr } = await talaria(['stats', 'my-rum'], { runs });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "my-run"?');
  });
});

describe('talaria show', () => {
  it('shows reasoning, calls and results, and no escape sequence of a model or a tool', async () => {
    const { stdout } = await talaria(['show', 'my-run', 'k1#0'], { runs, records });
    expect(stdout).toMatch(/count#0 {2}completed \(finished\)/);
    expect(stdout).toMatch(/reasoning\n {4}Let me think\./);
    expect(stdout).toMatch(/terminal\(\) call_1\n {4}command: wc -l f/);
    expect(stdout).toMatch(/terminal call_1 ok\n {4}3\n/);
    expect(stdout).toContain('Sure red');
    expect(stdout).not.toContain('\u001b');
  });

  it('shows the replies so far of a rollout that still runs', async () => {
    const { stdout } = await talaria(['show', 'my-run', 'k9#3'], { runs, records });
    expect(stdout).toMatch(/#3 has no outcome yet; 1 reply so far.*so far/s);
  });

  it('leaves out the middle of a long text, and nothing with --full', async () => {
    const long = record({
      messages: [
        { role: 'user', content: Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n') },
      ],
    });
    const short = await talaria(['show', 'my-run', 'k1'], { runs, records: [long] });
    expect(short.stdout).toContain('61 more lines');
    expect(short.stdout).toContain('line 99');
    const full = await talaria(['show', 'my-run', 'k1', '--full'], { runs, records: [long] });
    expect(full.stdout).toContain('line 50');
  });
});

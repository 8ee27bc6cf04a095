import { expect, it } from 'vitest';
import { type InlineRun, runInline } from '../../dist/testing/index.js';

const config = `
environment: { kind: prompts, path: prompts.jsonl, on_bad_row: skip }
model: { use: nop }
toolsets: { enabled: [todo] }
run: { concurrency: 1 }
agent: { max_turns: 1 }
export: [hermes]
`;
const row = '{"id": "only", "prompt": "Say hello."}\n';
const files = { 'one.yaml': config, 'prompts.jsonl': `${row}${row}{"prompt": 7}\n` };

it('what there is one of is spoken of in the singular, and found by its id, by every command', async () => {
  const commands: readonly (readonly string[])[] = [
    ['run', 'one.yaml', '--out', 'run', '--dry-run'],
    ['run', 'one.yaml', '--out', 'run'],
    ['run', 'one.yaml', '--out', 'run', '--resume'],
    ['stats', 'run'],
    ['show', 'run', 'only'],
    ['export', 'run', '--format', 'records', '--out', 'one.jsonl'],
  ];
  let last: InlineRun | null = null;
  let said = '';
  for (const args of commands) {
    last = await runInline({ files, args, ...(last === null ? {} : { folder: last.folder }) });
    expect(last.exitCode, last.stderr).toBe(0);
    said += last.stdout + last.stderr;
  }
  const where = (task: string) => {
    const args = ['export', 'run', '--format', 'records', '--out', '-', '--where', `task=${task}`];
    return runInline({ files, args, ...(last === null ? {} : { folder: last.folder }) });
  };
  expect((await where('only')).stdout).toContain('"id":"only"');
  expect(await where('other')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('There is no task whose id or key is or begins with "other"'),
  });
  await last?.remove();
  for (const one of ['1 task', '1 rollout', '1 sample', '1 turn', '1 thread', '1 model call']) {
    expect(said).toContain(one);
  }
  for (const one of ['1 equal row merged', '1 bad row skipped', '1 row: one.jsonl']) {
    expect(said).toContain(one);
  }
  expect(said.match(/\b1 (\w+ )?\w{2,}s\b/g)).toBeNull();
});

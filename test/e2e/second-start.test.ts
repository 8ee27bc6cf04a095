import { expect, it } from 'vitest';
import { runInline, startFakeModelServer } from '../../dist/testing/index.js';

const config = (model: string, extra = '') => `
environment: { kind: prompts, path: prompts.jsonl }
model: ${model}
toolsets: { enabled: [todo] }
${extra}
`;
const row = '{"prompt": "Say hello."}\n';
const args = ['run', 'run.yaml', '--out', 'run'];

it('a run that exists is told before a model that cannot be reached', async () => {
  const server = await startFakeModelServer();
  const yaml = config(`{ use: "openai:fake", base_url: "${server.baseUrl}" }`);
  const first = await runInline({ files: { 'prompts.jsonl': row, 'run.yaml': yaml }, args });
  await server.close();
  const { folder } = first;
  const again = await runInline({ folder, files: {}, args });
  const other = await runInline({
    folder,
    files: {},
    args: [...args, '--resume', '--max-turns', '7'],
  });
  const resumed = await runInline({ folder, files: {}, args: [...args, '--resume'] });
  await first.remove();
  expect(first.exitCode, first.stderr).toBe(0);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Add --resume') });
  expect(other).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('agent.max_turns: it was 30 and now is 7'),
  });
  expect(resumed).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Cannot reach the model'),
  });
});

it('a run whose data set had no readable row is started again as if it had never been', async () => {
  const files = {
    'prompts.jsonl': '{"promt": "Say hello."}\n',
    'run.yaml': config('{ use: nop }'),
  };
  const first = await runInline({ files, args });
  const mended = await runInline({ folder: first.folder, files: { 'prompts.jsonl': row }, args });
  await first.remove();
  expect(first.exitCode).toBe(2);
  expect(first.stderr).not.toContain('--resume');
  expect(mended.exitCode, mended.stderr).toBe(0);
});

it('a data set that breaks off after rollouts have begun says how to go on', async () => {
  const rows = Array.from({ length: 600 }, (_, index) => JSON.stringify({ prompt: `P${index}` }));
  const files = {
    'prompts.jsonl': `${rows.join('\n')}\nnot JSON\n`,
    'run.yaml': config('{ use: nop }', 'run: { grace_s: 5 }'),
  };
  const first = await runInline({ files, args });
  const mended = { 'prompts.jsonl': `${rows.join('\n')}\n` };
  const resumed = await runInline({
    folder: first.folder,
    files: mended,
    args: [...args, '--resume'],
  });
  await first.remove();
  expect(first.exitCode).toBe(2);
  expect(first.stderr).toMatch(/line 601.*go on with --resume/);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
});

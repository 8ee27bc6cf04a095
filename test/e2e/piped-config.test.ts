import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runInline } from '../../dist/testing/index.js';
import { cliPath } from '../helpers/cli-path.js';

const files = {
  'prompts.jsonl': '{"prompt": "Say hello."}\n',
  'c.yaml':
    'environment: { path: prompts.jsonl }\nmodel: { use: nop }\ntoolsets: { enabled: [todo] }\n',
};

it.each([
  ['through a pipe', 'cat c.yaml | "$NODE" "$CLI" run - --out run'],
  ['from a file on standard input', '"$NODE" "$CLI" run - --out run < c.yaml'],
  ['by a shell that opens it', 'exec 9< c.yaml; cat <&9 | "$NODE" "$CLI" run /dev/stdin --out run'],
])('a configuration may come %s; its paths count from the current folder', async (_how, script) => {
  const { folder, remove } = await runInline({ files, args: ['--version'] });
  const env = { PATH: process.env['PATH'], NODE: process.execPath, CLI: cliPath };
  const stdout = execFileSync('sh', ['-c', script], { cwd: folder, env, stdio: 'pipe' });
  expect(stdout.toString()).toContain('1 rollout: 1 completed');
  // The run's own copy goes on with it.
  const again = await runInline({ folder, files: {}, args: ['run', 'run', '--resume'] });
  await remove();
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing to do') });
});

it('a data set in the place of the configuration is told apart', async () => {
  const run = await runInline({ files, args: ['run', 'prompts.jsonl'] });
  await run.remove();
  expect(run).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('prompts.jsonl is a data set and no configuration file'),
  });
});

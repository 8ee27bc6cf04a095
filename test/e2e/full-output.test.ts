import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runInline } from '../../dist/testing/index.js';
import { cliPath } from '../helpers/cli-path.js';

const files = {
  'prompts.jsonl': '{"prompt": "Say hello."}\n',
  'c.yaml':
    'environment: { path: prompts.jsonl }\nmodel: { use: nop }\ntoolsets: { enabled: [todo] }\n',
};

it.skipIf(!existsSync('/dev/full'))(
  'a data set that does not fit where stdout goes is no success, and a reader that leaves is no failure',
  async () => {
    const { folder, remove, exitCode } = await runInline({
      files,
      args: ['run', 'c.yaml', '--out', 'run'],
    });
    expect(exitCode).toBe(0);
    const shell = (script: string) =>
      spawnSync('sh', ['-c', script], {
        cwd: folder,
        env: { PATH: process.env['PATH'], NODE: process.execPath, CLI: cliPath },
        encoding: 'utf8',
      });
    const command = '"$NODE" "$CLI" export run --format records --out -';
    const full = shell(`${command} > /dev/full`);
    const left = shell(`{ ${command}; echo "code $?" >&2; } | true`);
    await remove();
    expect(full.status).toBe(1);
    expect(full.stderr).toContain('What belongs to stdout could not be written: ENOSPC');
    expect(left.stderr).toBe('code 0\n');
  },
);

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../config/config-fixture.js';

const main = fileURLToPath(new URL('../../../dist/runners/cli/main.js', import.meta.url));

/** Runs the built command line as its own process. */
function talaria(argv: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...argv], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return { status, stdout, stderr };
}

describe('the built command line', () => {
  it.each([
    [['--help'], 0],
    [['--version'], 0],
    [['run', '--help'], 0],
    [[], 2],
    [['rnu'], 2],
    [['run', '--max-trns=3'], 2],
    [['run', 'bad.yaml'], 2],
    [['run', 'unknown.yaml'], 2],
    [['run', 'c.yaml'], 2],
    [['stats', 'nowhere'], 2],
  ])('%j exits with %d', async (argv, code) => {
    const cwd = await folderWith({
      'bad.yaml': 'a: [',
      'unknown.yaml': 'modle: {}\n',
      'c.yaml': 'name: x\n',
    });
    const { status, stderr, stdout } = talaria(argv, cwd);
    expect(status, stderr).toBe(code);
    expect(stderr === '').toBe(code === 0);
    expect(stdout === '').toBe(code !== 0);
  });

  it('says where a key is wrong, on stderr alone', async () => {
    const cwd = await folderWith({ 'unknown.yaml': '\nmodle: {}\n' });
    expect(talaria(['run', 'unknown.yaml'], cwd)).toEqual({
      status: 2,
      stdout: '',
      stderr: 'talaria: unknown.yaml:2:1: unknown key "modle"; did you mean "model"?\n',
    });
  });

  it('prints a stack only with TALARIA_DEBUG', async () => {
    const cwd = await folderWith({ 'unknown.yaml': 'modle: {}\n' });
    const { stderr } = spawnSync(process.execPath, [main, 'run', 'unknown.yaml'], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], TALARIA_DEBUG: '1' },
    });
    expect(stderr).toMatch(/\n\s+at /);
  });

  it('does not crash when its reader goes away', async () => {
    const child = spawn(process.execPath, [main, 'run', '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('loads neither zod nor yaml for its help', async () => {
    const cwd = await folderWith({
      'trace.mjs':
        "import { register } from 'node:module';\n" +
        "register('data:text/javascript,' + encodeURIComponent(\"export async function load(url, context, next) { if (/node_modules/.test(url)) { process.stderr.write(url + '\\\\n'); } return next(url, context); }\"));\n",
    });
    const { stderr, status } = spawnSync(
      process.execPath,
      ['--import', join(cwd, 'trace.mjs'), main, 'run', '--help'],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { runInline } from '../../dist/testing/index.js';
import { cliPath } from '../helpers/cli-path.js';
import { temporaryFolder } from '../helpers/temporary-folder.js';

const config = `environment: { module: ./own.mjs }
model: { use: nop }
toolsets: { enabled: [todo] }
`;

const tasks = (body: string) => `export const environment = {
  name: 'own',
  async *tasks() { ${body} },
};
`;

async function start(module: string): Promise<ChildProcess & { text(): string }> {
  const folder = await temporaryFolder({ 'own.mjs': module, 'run.yaml': config });
  const child = spawn(process.execPath, [cliPath, 'run', 'run.yaml', '--out', 'run'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return Object.assign(child, { text: () => text });
}

const forever = 'await new Promise((resolve) => setTimeout(resolve, 1e9));';

it.each([
  ['while it is loaded', `console.error('here');\n${forever}\n${tasks('')}`],
  [
    'while it is opened',
    `export const environment = async () => { console.error('here'); ${forever} };\n`,
  ],
  ['before its first task', tasks(`console.error('here'); ${forever}`)],
  [
    'behind its first task',
    tasks(`yield { id: 'a', prompt: 'A' }; console.error('here'); ${forever}`),
  ],
])('one Ctrl-C ends a run whose module hangs %s', async (_name, module) => {
  const child = await start(module);
  await expect.poll(() => child.text(), { timeout: 20_000 }).toContain('here');
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect(code).toBe(130);
});

it('a module that ends the process is told as that, and never with exit code 0', async () => {
  const result = await runInline({
    files: { 'own.mjs': tasks('process.exit(0);'), 'run.yaml': config },
    args: ['run', 'run.yaml', '--out', 'run'],
  });
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain('A module ended the process with process.exit()');
  await result.remove();
});

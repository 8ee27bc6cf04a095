import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runInline } from '../../dist/testing/index.js';
import { cliPath } from '../helpers/cli-path.js';
import { temporaryFolder } from '../helpers/temporary-folder.js';

const args = ['run', 'run.yaml', '--out', 'run'];
const config = (openTimeoutS: number, more = '') => `environment: { module: ./own.mjs }
model: { use: nop }
toolsets: { enabled: [todo] }
run: { open_timeout_s: ${openTimeoutS} }
${more}
`;
const tasks = `export const environment = { name: 'own', async *tasks() { yield { prompt: 'Do it.' }; } };`;
/** Runs only in a worker that runs rollouts: Piscina gives its threads no data of ours. */
const inLane = (code: string) => `
import { isMainThread, workerData } from 'node:worker_threads';
if (!isMainThread && workerData?.environment === undefined) { ${code} }
${tasks}`;

describe('a module of the user', () => {
  it.each([
    ['ends the process while it is imported', `process.exit(0); ${tasks}`, /process\.exit\(0\)/],
    ['ends it in a worker', inLane('process.exit(3);'), /process\.exit\(3\)/],
    [
      'ends it between two tasks',
      `export const environment = { name: 'own', async *tasks() { yield { prompt: 'a' }; process.exit(0); } };`,
      /process\.exit\(0\)/,
    ],
    ['loops while it is imported', `while (true) {} ${tasks}`, /open_timeout_s/],
    ['loops in a worker', inLane('while (true) {}'), /open_timeout_s/],
    [
      'hangs while it is opened',
      'export const environment = () => new Promise((resolve) => setTimeout(resolve, 3_600_000));',
      /open_timeout_s/,
    ],
    ['hangs in a worker', inLane('await new Promise(() => {});'), /open_timeout_s/],
    ['awaits what nobody brings', `await new Promise(() => {}); ${tasks}`, /never finishes/],
    [
      'leaves a rejection alone while it is opened',
      `Promise.reject(new Error('left alone')); ${tasks}`,
      /left alone/,
    ],
    ['leaves one alone in a worker', inLane(`Promise.reject(new Error('lost'));`), /lost/],
  ])('that %s is named, and the run ends with 2', async (_what, module, message) => {
    const files = { 'own.mjs': module, 'run.yaml': config(2) };
    const result = await runInline({ files, args });
    await result.remove();
    expect(result.exitCode, result.stderr).toBe(2);
    expect(result.stderr).toMatch(message);
    expect(result.stderr).toContain('own.mjs');
    expect(result.stderr).not.toContain('This is a bug');
  });

  it.each([
    ['in the main thread', `while (true) {} ${tasks}`],
    ['in a worker', inLane(`while (true) {}`)],
  ])('that hangs %s does not hold up a Ctrl-C', async (_where, module) => {
    const cwd = await temporaryFolder({ 'own.mjs': module, 'run.yaml': config(600) });
    const child = spawn(process.execPath, [cliPath, ...args], { cwd });
    const ended = new Promise((resolve) => child.once('close', resolve));
    // Long enough for the handlers to be there, and in the worker's case for the worker.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const asked = Date.now();
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(Date.now() - asked).toBeLessThan(5_000);
  });

  it('cannot change the task or the conversation that is recorded', async () => {
    const files = {
      'own.mjs': `export const environment = {
  name: 'own',
  async *tasks() { yield { prompt: 'Do it.', metadata: { level: 1 } }; },
  prompt(task) { try { task.metadata.level = 9; } catch {} return task.prompt; },
};`,
      'judge.mjs': `export const reward = ({ messages, task }) => {
  const changes = [
    () => { messages.at(-1).content = 'Flattery.'; },
    () => messages.push({ role: 'user', content: 'More.' }),
    () => { task.prompt = 'Something easier.'; },
  ];
  return changes.filter((change) => { try { change(); return true; } catch { return false; } }).length;
};`,
      'run.yaml': config(60, 'rewards: [{ use: ./judge.mjs }]'),
    };
    const result = await runInline({ files, args });
    expect(result.exitCode, result.stderr).toBe(0);
    const [record] = await result.records();
    expect(record).toMatchObject({
      task: { prompt: 'Do it.', metadata: { level: 1 } },
      reward: 0,
    });
    expect(JSON.stringify(record?.messages)).not.toMatch(/Flattery|More/);
    await result.remove();
  });
});

it('a dry run names a module that hangs, too', async () => {
  const files = { 'own.mjs': `await new Promise(() => {}); ${tasks}`, 'run.yaml': config(2) };
  const result = await runInline({ files, args: ['run', 'run.yaml', '--dry-run'] });
  await result.remove();
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/own\.mjs never finishes/);
});

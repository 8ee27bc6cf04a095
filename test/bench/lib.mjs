// Helpers of the benchmarks: a scripted model in a process of its own, and a batch run in this process.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = (path) => new URL(`../../dist/${path}`, import.meta.url);

/** Prints one measure. `must` and `aim` are limits of the ratio; `better` says on which side. */
export function report(measure) {
  process.stdout.write(`${JSON.stringify(measure)}\n`);
}

/** Starts the fake model server as its own process; returns its address and what it saw. */
export async function startServer(options) {
  const args = Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, String(value)],
  );
  const child = spawn(
    process.execPath,
    [fileURLToPath(dist('testing/fake-model-server/main.js')), '--until-stdin-ends', ...args],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  const { baseUrl } = JSON.parse(line.toString());
  const origin = new URL(baseUrl).origin;
  const get = async (path) => (await fetch(`${origin}${path}`)).json();
  return { baseUrl, stats: () => get('/__stats'), stop: () => child.stdin.end() };
}

/** A temporary folder that is removed when the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a data set of so many prompts, each padded to so many bytes. */
export function writePrompts(folder, count, bytes) {
  const padding = 'x'.repeat(Math.max(0, bytes - 24));
  const path = join(folder, 'prompts.jsonl');
  // Line by line: whoever measures the memory of this process must not find the data set in it.
  const file = openSync(path, 'w');
  for (let index = 0; index < count; index++) {
    writeSync(file, `${JSON.stringify({ prompt: `Prompt number ${index} ${padding}` })}\n`);
  }
  closeSync(file);
  return path;
}

/** The settings of a run against a server, with the `todo` tool only. */
export function benchSettings({ folder, baseUrl, sets = [] }) {
  return [
    'name=bench',
    'environment.kind=prompts',
    `environment.path=${join(folder, 'prompts.jsonl')}`,
    'model.use=openai:bench',
    `model.base_url=${baseUrl}`,
    'toolsets.enabled=[todo]',
    ...sets,
  ];
}

/** The configuration that the settings make. */
export async function benchConfig(run) {
  const { resolveConfig } = await import(dist('runners/config/resolve-config.js'));
  return resolveConfig({
    file: null,
    sets: benchSettings(run),
    flags: [{ flag: '--out', key: 'out', value: join(run.folder, 'run') }],
    env: {},
    cwd: run.folder,
  });
}

/** Runs a batch in this process, against a server. Returns its result. */
export async function runBatchHere({ resume = false, onEvents, ...run }) {
  const { runBatch } = await import(dist('runners/batch/run-batch.js'));
  const config = await benchConfig(run);
  const never = new AbortController().signal;
  return runBatch({
    config,
    resume,
    reporter: onEvents === undefined ? {} : { onEvents },
    environment: process.env,
    drain: never,
    cancel: never,
  });
}

/** The arguments that make the server call `todo` in each of so many turns, and answer in the last. */
export function todoLoop(turns, stepBytes = 4) {
  const content = 'step'.repeat(Math.ceil(stepBytes / 4));
  return {
    turns: turns - 1,
    tool: 'todo',
    arguments: JSON.stringify({ todos: [{ id: '1', content, status: 'pending' }] }),
  };
}

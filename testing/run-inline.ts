import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRunReader } from '../runners/store/open-run-reader.js';
import type { RunStats } from '../runners/store/run-reader.js';
import type { RolloutRecord } from '../src/rollout/record.js';

export interface RunInlineOptions {
  /** Files of the temporary folder, by path in it. */
  readonly files: { readonly [path: string]: string };
  /** Arguments of the command, for example `['run', 'config.yaml', '--out', 'run']`. */
  readonly args: readonly string[];
  /** Variables beside PATH. */
  readonly env?: { readonly [name: string]: string };
  /** Run directory to read afterwards, in the folder. @default 'run' */
  readonly out?: string;
  /** A folder of an earlier call, to go on in it. */
  readonly folder?: string;
  /** Sent to the process after so many milliseconds. */
  readonly kill?: { readonly signal: NodeJS.Signals; readonly afterMs: number };
}

export interface InlineRun {
  readonly folder: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The run's records, in plan order. Throws when there is no run. */
  records(): Promise<readonly RolloutRecord[]>;
  stats(): RunStats;
  /** Removes the folder. */
  remove(): Promise<void>;
}

/** The built command line, beside this file in the package. */
const main = fileURLToPath(new URL('../runners/cli/main.js', import.meta.url));

/** Writes files into a temporary folder, runs the real command there, and returns what it printed and left. */
export async function runInline(options: RunInlineOptions): Promise<InlineRun> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'talaria-inline-')));
  for (const [path, text] of Object.entries(options.files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const { exitCode, stdout, stderr } = await runMain(folder, options);
  const directory = join(folder, options.out ?? 'run');
  return {
    folder,
    exitCode,
    stdout,
    stderr,
    async records() {
      const reader = openRunReader(directory);
      const records: RolloutRecord[] = [];
      for await (const record of reader.records()) {
        records.push(record);
      }
      reader.close();
      return records;
    },
    stats() {
      const reader = openRunReader(directory);
      const { tasks, ...columns } = reader.stats();
      const taskRows = [...tasks()];
      reader.close();
      return { ...columns, tasks: () => taskRows };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function runMain(
  folder: string,
  { args, env, kill }: RunInlineOptions,
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
    const timer =
      kill === undefined ? null : setTimeout(() => child.kill(kill.signal), kill.afterMs);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      if (timer !== null) {
        clearTimeout(timer);
      }
      resolve({
        exitCode,
        stdout: Buffer.concat(chunks.stdout).toString(),
        stderr: Buffer.concat(chunks.stderr).toString(),
      });
    });
  });
}

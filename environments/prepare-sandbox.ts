import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { messageOf } from '../src/errors.js';
import { sha256 } from '../src/hash.js';
import type { Task, TaskFile } from '../src/rollout/task.js';
import { taskDirectory } from '../src/rollout/task-directory.js';
import type { ExecResult, SandboxSession } from '../src/sandbox/sandbox.js';
import { shellQuote } from '../src/text/shell-quote.js';
import type { Environment } from './environment.js';
import { RolloutStop } from './rollout-stop.js';

export interface PreparationInput {
  readonly task: Task;
  readonly environment: Environment;
  readonly session: SandboxSession;
  /** Limit of one command of the agent. Setup commands get 5 minutes at least: they install things. */
  readonly commandTimeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Makes a new sandbox what the task says: its files, what the environment adds, then a look for the programs that it
 * requires, then its setup commands. Rejects with a {@link RolloutStop} that says what was missing or went wrong.
 */
export async function prepareSandbox(input: PreparationInput): Promise<void> {
  const { task, environment, session, signal } = input;
  const directory = taskDirectory(task, session);
  for (const file of task.files) {
    await putFile(file, directory, session);
    stopIfAborted(signal);
  }
  if (environment.setup !== undefined) {
    try {
      await environment.setup(task, { sandbox: session, signal });
    } catch (thrown) {
      throw RolloutStop.from(thrown, `The setup of the environment ${environment.name} failed`);
    }
    stopIfAborted(signal);
  }
  await checkPrograms(input);
  await runSetup(input);
}

async function putFile(file: TaskFile, directory: string, session: SandboxSession): Promise<void> {
  const content = await contentOf(file);
  try {
    await session.write(posix.resolve(directory, file.path), content, { mode: file.mode });
  } catch (thrown) {
    throw RolloutStop.from(thrown, `The file ${file.path} could not be put into the sandbox`);
  }
}

async function contentOf({ path, text, host_path, sha256: expected }: TaskFile) {
  if (host_path === null) {
    return text ?? '';
  }
  let content: Buffer;
  try {
    content = await readFile(host_path);
  } catch (thrown) {
    throw RolloutStop.environment(`The file ${path} of the task is gone: ${messageOf(thrown)}`);
  }
  // The key of the task was made from the old content: the record would speak of another task.
  if (sha256(content) !== expected) {
    throw RolloutStop.environment(
      `${host_path} has changed since this run was planned. Put the old content back, or plan the run again with --resume.`,
    );
  }
  return content;
}

async function checkPrograms(input: PreparationInput): Promise<void> {
  const { task, signal } = input;
  if (task.requires.length === 0) {
    return;
  }
  const words = task.requires.map(shellQuote).join(' ');
  const result = await run(
    input,
    `for program in ${words}; do command -v "$program" >/dev/null 2>&1 || printf '%s\\n' "$program"; done`,
    { signal, timeoutMs: 60_000, doing: 'The look for the required programs failed' },
  );
  const missing = result.stdout.toString('utf8').split('\n').filter(Boolean);
  if (missing.length > 0) {
    throw RolloutStop.environment(
      `The sandbox lacks ${missing.join(', ')}, which the task requires. Choose an image that has ${missing.length === 1 ? 'it' : 'them'}, or install ${missing.length === 1 ? 'it' : 'them'} where the sandbox runs.`,
    );
  }
  if (result.exitCode !== 0) {
    throw RolloutStop.environment(`The look for the required programs failed: ${ending(result)}`);
  }
}

async function runSetup(input: PreparationInput): Promise<void> {
  const { task, signal } = input;
  const timeoutMs = Math.max(input.commandTimeoutMs, 300_000);
  if (task.setup === null) {
    return;
  }
  // A shell of its own, so that `exit`, `cd` and `set` in it do not reach the agent's. It stops at the first command
  // that fails: a sandbox that is half prepared would give rollouts that mean something else.
  const result = await run(input, `sh -ec ${shellQuote(task.setup)}`, {
    signal,
    timeoutMs,
    doing: 'The setup commands could not be run',
  });
  if (result.timedOut) {
    throw RolloutStop.environment(
      `The setup commands did not end within ${timeoutMs / 1000} s: ${ending(result)}`,
    );
  }
  if (result.exitCode !== 0) {
    throw RolloutStop.environment(
      `The setup commands failed with exit code ${result.exitCode}: ${ending(result)}`,
    );
  }
}

async function run(
  { task, session }: PreparationInput,
  command: string,
  {
    signal,
    timeoutMs,
    doing,
  }: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly doing: string },
): Promise<ExecResult> {
  try {
    const result = await session.exec(command, {
      cwd: taskDirectory(task, session),
      signal,
      timeoutMs,
      mergeStderr: true,
      maxOutputBytes: 64_000,
    });
    stopIfAborted(signal);
    return result;
  } catch (thrown) {
    throw RolloutStop.from(thrown, doing);
  }
}

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw RolloutStop.interrupted(signal);
  }
}

/** The last lines of what a command wrote. */
function ending({ stdout, stderr }: ExecResult): string {
  const text = `${stdout.toString('utf8')}${stderr.toString('utf8')}`.trim();
  return text === '' ? 'it wrote nothing' : text.split('\n').slice(-10).join('\n').slice(-2000);
}

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from '../../src/rollout/list-folder.js';
import type { Task } from '../../src/rollout/task.js';
import type { ExecResult, SandboxSession } from '../../src/sandbox/sandbox.js';
import { shellQuote } from '../../src/text/shell-quote.js';
import type { RewardContext, RewardFunction, RewardScore } from '../reward-function.js';

/**
 * Runs the task's own tests: 1 when `sh test.sh` exits with 0, else 0.
 *
 * The tests come into the sandbox only now, into a new folder with an unguessable name (`$TALARIA_TESTS`, owned by the
 * verifier's user, outside the work directory), so nothing can have been written there before. The score is the exit code
 * alone: no result file is read that an agent could have left.
 *
 * Tests that outlast `tests_timeout_s` score 0, since the time is part of the task then. Where the task sets none, the
 * default limit is ours, and running into it is a failure to score.
 */
export const tests: RewardFunction = {
  name: 'tests',
  description: "Exit code of the task's own tests/test.sh: 1 for success, else 0.",
  needsSandbox: true,
  applies: async (task) => (await testsFolder(task)) !== null,
  score: async ({ task }, context) => {
    const folder = await testsFolder(task);
    if (folder === null || task.folder === null) {
      return { value: null };
    }
    const files = await listFolder(folder, task.folder);
    if (!files.some((file) => file.path === 'test.sh')) {
      throw new Error(`${join(folder, 'test.sh')} is missing: it is what runs the tests.`);
    }
    const { sandbox } = context;
    const target = await newFolder(sandbox, context.signal);
    try {
      for (const file of files) {
        const content = await readFile(file.host_path);
        await sandbox.write(`${target}/${file.path}`, content, { mode: file.mode });
      }
      return await run(target, task.tests_timeout_s, context);
    } finally {
      // Also after an abort: where the sandbox is the host's own system, nobody else would remove it.
      await sandbox.exec(`rm -rf ${shellQuote(target)}`, { cwd: '/' }).catch(() => {});
    }
  },
};

const defaultTimeoutMs = 300_000;

async function run(
  target: string,
  taskSeconds: number | null,
  { sandbox, cwd, signal, deadlineMs }: RewardContext,
): Promise<RewardScore> {
  const timeoutMs = taskSeconds === null ? ownLimit(deadlineMs) : taskSeconds * 1000;
  const result = await sandbox.exec(`sh ${shellQuote(`${target}/test.sh`)}`, {
    cwd,
    env: { TALARIA_TESTS: target },
    timeoutMs,
    signal,
    mergeStderr: true,
    maxOutputBytes: 64_000,
  });
  if (result.aborted) {
    throw new Error('The tests were interrupted.');
  }
  if (!result.timedOut) {
    return { value: result.exitCode === 0 ? 1 : 0, explanation: explain(result) };
  }
  if (taskSeconds === null) {
    throw new Error(
      `The tests did not end within ${timeoutMs / 1000} s, and the task sets no tests_timeout_s: set it, or raise reward_timeout_s. ${lastLines(result)}`,
    );
  }
  return {
    value: 0,
    explanation: `The tests did not end within the task's ${taskSeconds} s.\n${lastLines(result)}`,
  };
}

/** A little less than the deadline, so that the end of the output is there to be shown when it passes. */
function ownLimit(deadlineMs: number): number {
  return Math.min(defaultTimeoutMs, Math.max(deadlineMs - 5000, deadlineMs / 2));
}

async function testsFolder({ folder }: Task): Promise<string | null> {
  if (folder === null) {
    return null;
  }
  const path = join(folder, 'tests');
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ? path : null;
}

async function newFolder(sandbox: SandboxSession, signal: AbortSignal): Promise<string> {
  // Never under a directory that the agent wrote to: a conftest.py or a node_modules above it would be taken for its own.
  const template = shellQuote(`${sandbox.scratch ?? '/tmp'}/talaria-tests.XXXXXXXXXX`);
  const made = await sandbox.exec(`umask 077 && mktemp -d ${template}`, {
    cwd: '/',
    signal,
    timeoutMs: 30_000,
  });
  const path = made.stdout.toString('utf8').trim();
  if (made.exitCode !== 0 || !path.startsWith('/')) {
    throw new Error(`No folder could be made for the tests: ${lastLines(made)}`);
  }
  return path;
}

function explain(result: ExecResult): string {
  const reason = result.outOfMemory ? `exit code ${result.exitCode}, out of memory` : null;
  const lines = lastLines(result);
  return `${reason ?? `exit code ${result.exitCode}`}${lines === '' ? '' : `\n${lines}`}`;
}

function lastLines({ stdout, stderr }: ExecResult): string {
  const text = `${stdout.toString('utf8')}${stderr.toString('utf8')}`.trimEnd();
  return text.split('\n').slice(-20).join('\n').slice(-2000);
}

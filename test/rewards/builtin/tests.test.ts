import { describe, expect, it } from 'vitest';
import { tests } from '../../../rewards/builtin/tests.js';
import type { Task } from '../../../src/rollout/task.js';
import { aTask } from '../../environments/rollout-harness.js';
import { HostSandboxProvider } from '../../helpers/host-sandbox.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';

async function score(script: string, deadlineMs: number, changes: Partial<Task> = {}) {
  const folder = await temporaryFolder({ 'tests/test.sh': script });
  const sandbox = await new HostSandboxProvider().create({
    image: null,
    cwd: null,
    network: 'none',
    memoryMb: null,
    cpus: null,
    diskMb: 10_240,
    maxParallelExec: 1_000,
    profile: 'root',
    runtime: null,
    commandTimeoutMs: 180_000,
    env: {},
    owner: { runId: 'r', pid: 1, startedAt: '' },
  });
  try {
    return await tests.score(
      {
        task: aTask({ folder, ...changes }),
        taskKey: 'k',
        sample: 0,
        messages: [],
        exitReason: 'finished',
        finalAnswer: '',
      },
      {
        sandbox: sandbox.session,
        cwd: sandbox.session.home,
        options: {},
        signal: new AbortController().signal,
        deadlineMs,
      },
    );
  } finally {
    await sandbox.close();
  }
}

describe('the reward tests', () => {
  it('fails before its deadline, with the end of the output, where the task sets no time', async () => {
    await expect(score('echo downloading; sleep 20', 600)).rejects.toThrow(
      /did not end within 0\.3 s, and the task sets no tests_timeout_s: set it, or raise reward_timeout_s\. downloading/,
    );
  });

  it('is 0 where the task sets the time', async () => {
    const { value } = await score('sleep 20', 60_000, { tests_timeout_s: 0.2 });
    expect(value).toBe(0);
  });

  it('runs in the directory of the task, with the tests in a private folder elsewhere', async () => {
    const script = [
      'touch here && test "$PWD" != "$TALARIA_TESTS"',
      'case "$TALARIA_TESTS" in "$PWD"/*) exit 4;; esac',
      'test "$(ls -ld "$TALARIA_TESTS" | cut -c1-10)" = drwx------ || exit 5',
      'test -x "$TALARIA_TESTS/test.sh" || exit 6',
    ].join('\n');
    expect(await score(script, 60_000)).toEqual({ value: 1, explanation: 'exit code 0' });
  });

  it('shows the last lines only', async () => {
    const { explanation } = await score('seq 1 1000; exit 1', 60_000);
    expect(explanation?.split('\n')).toHaveLength(21);
    expect(explanation).toMatch(/^exit code 1\n981\n/);
  });

  it('does not apply to a task without tests', async () => {
    expect(await tests.applies?.(aTask())).toBe(false);
    expect(await tests.applies?.(aTask({ folder: '/no/such/folder' }))).toBe(false);
  });
});

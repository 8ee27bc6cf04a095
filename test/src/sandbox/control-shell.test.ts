import { spawn, spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { controlScript } from '../../../src/sandbox/control-script.js';
import { ControlShell } from '../../../src/sandbox/control-shell.js';

/** The shells that images have. What is not installed here is not tested here. */
const shells = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([command = '']) => spawnSync(command, ['-c', 'true']).error === undefined,
);

function open([command = '', ...args]: readonly string[]) {
  const child = spawn(command, [...args, '-c', controlScript], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const control = new ControlShell({
    input: child.stdin,
    output: child.stdout,
    close: () => child.stdin.end(),
  });
  return { child, control };
}

describe.each(shells)('the control script in %s', (...shell) => {
  it('lists processes with the command that they say they are of', async () => {
    const env = {
      A_LINE_BREAK: 'one\ntwo',
      TALARIA_EXEC_ID: '17',
      Z: '1',
    };
    const sleeper = spawn('sleep', ['1000'], { env: { PATH: process.env['PATH'], ...env } });
    onTestFinished(() => {
      sleeper.kill('SIGKILL');
    });
    const { child, control } = open(shell);
    const list = await control.list();
    expect(list?.self).toBe(child.pid);
    const found = list?.processes.find(({ pid }) => pid === sleeper.pid);
    expect(found).toMatchObject({ parent: process.pid, executionId: '17', state: 'running' });
    expect(list?.processes.find(({ pid }) => pid === process.pid)?.executionId).toBeNull();
    const age = (list?.uptimeTicks ?? 0) - (found?.startTicks ?? 0);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(3_000);
  });

  it('finds the command in the name of a process that never called exec', async () => {
    const named = spawn('sh', ['-c', "printf 'sh:23' >/proc/self/comm; while :; do read x; done"]);
    onTestFinished(() => {
      named.kill('SIGKILL');
    });
    const { control } = open(shell);
    await expect
      .poll(
        async () =>
          (await control.list())?.processes.find(({ pid }) => pid === named.pid)?.executionId,
      )
      .toBe('23');
  });

  it('stops, continues and kills', async () => {
    const sleeper = spawn('sleep', ['1000']);
    const { control } = open(shell);
    const state = async () =>
      (await control.list())?.processes.find(({ pid }) => pid === sleeper.pid)?.state;
    const pids = [sleeper.pid ?? 0];
    await control.signal('STOP', pids);
    await expect.poll(state).toBe('stopped');
    await control.signal('CONT', pids);
    await expect.poll(state).toBe('running');
    const exited = new Promise((resolve) => sleeper.once('exit', (_, signal) => resolve(signal)));
    await control.signal('KILL', pids);
    expect(await exited).toBe('SIGKILL');
  });

  it('answers each of many questions that were asked at once, and none once it is gone', async () => {
    const { child, control } = open(shell);
    const answers = await Promise.all([
      control.list(),
      control.signal('CONT', [1]),
      control.list(),
    ]);
    expect(answers.map((answer) => answer !== null && answer !== false)).toEqual([
      true,
      true,
      true,
    ]);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    expect(control.gone).toBe(true);
    expect(await control.list()).toBeNull();
    expect(await control.signal('KILL', [1])).toBe(false);
  });
});

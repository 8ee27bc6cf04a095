import { describe, expect, it } from 'vitest';
import { killProcesses, send } from '../../../src/sandbox/kill-processes.js';

describe('killing processes', () => {
  it('stops each of them, until no new one shows up, before it kills the first', () => {
    const found = [[1], [1, 2], [1, 2, 3], [1, 2, 3]];
    const sent: string[] = [];
    killProcesses(
      () => found.shift() ?? [1, 2, 3],
      (pid, signal) => sent.push(`${signal} ${pid}`) > 0,
    );
    expect(sent).toEqual([
      ...['SIGSTOP 1', 'SIGSTOP 2', 'SIGSTOP 3'],
      ...['SIGKILL 1', 'SIGKILL 2', 'SIGKILL 3'],
    ]);
  });

  it('ends although new ones show up for ever', () => {
    let pid = 0;
    let kills = 0;
    killProcesses(
      () => {
        pid += 1;
        return [pid];
      },
      (_pid, signal) => {
        kills += signal === 'SIGKILL' ? 1 : 0;
        return true;
      },
    );
    expect(kills).toBeGreaterThan(10);
  });

  it('passes over a process that is gone', () => {
    expect(send(2 ** 22 + 1, 'SIGKILL')).toBe(false);
  });

  it('finds one that a single search missed', () => {
    const searches = [[1], [], [], [2], []];
    const killed: number[] = [];
    killProcesses(
      () => searches.shift() ?? [],
      (pid, name) => {
        if (name === 'SIGKILL') {
          killed.push(pid);
        }
        return true;
      },
    );
    expect(killed).toEqual([1, 2]);
  });
});

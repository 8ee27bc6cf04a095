import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/clock.js';
import { killProcesses, send } from '../../../src/sandbox/kill-processes.js';
import {
  type ProcessEntry,
  readProcess,
  sightProcess,
} from '../../../src/sandbox/process-table.js';

function entry(pid: number, fields: Partial<ProcessEntry> = {}): ProcessEntry {
  const base = { name: 'x', state: 'running', parent: 9, group: 9_000_000, startTicks: 5 } as const;
  return { pid, ...base, ...fields };
}

/** Time that passes only while something sleeps, and a little with each look at it. */
function fakeClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => {
      now += 1;
      return now;
    },
    sleep: async (ms) => {
      now += ms;
    },
    after: () => () => {},
  };
}

/** Processes that obey: SIGSTOP stops them, SIGKILL removes them. */
class FakeHost {
  readonly sent: string[] = [];
  readonly living = new Map<number, ProcessEntry>();

  constructor(...entries: readonly ProcessEntry[]) {
    for (const one of entries) {
      this.living.set(one.pid, one);
    }
  }

  readonly signal = (pid: number, name: NodeJS.Signals): boolean => {
    this.sent.push(`${name} ${pid}`);
    for (const one of [...this.living.values()]) {
      if (one.pid !== pid && one.group !== -pid) {
        continue;
      }
      if (name === 'SIGKILL') {
        this.living.delete(one.pid);
      } else {
        const state = name === 'SIGSTOP' ? 'stopped' : 'running';
        this.living.set(one.pid, { ...one, state });
      }
    }
    return true;
  };
}

const exactly = { exact: true, wholeGroups: false } as const;

describe('killing processes', () => {
  it('stops all of them before it kills the first', async () => {
    const host = new FakeHost(entry(1), entry(2), entry(3));
    const search = () => [...host.living.values()];
    const caught = await killProcesses({ ...exactly, search, signal: host.signal });
    expect(caught).toBe(true);
    expect(host.sent).toEqual([
      ...['SIGSTOP 1', 'SIGSTOP 2', 'SIGSTOP 3'],
      ...['SIGKILL 1', 'SIGKILL 2', 'SIGKILL 3'],
    ]);
  });

  it('lets those go on that are not meant, but for those that had been stopped before', async () => {
    const host = new FakeHost(entry(1), entry(2), entry(3, { state: 'stopped' }));
    const search = () => [...host.living.values()];
    await killProcesses({ ...exactly, search, choose: () => [1], signal: host.signal });
    expect([...host.living.values()].map(({ pid, state }) => [pid, state])).toEqual([
      [2, 'running'],
      [3, 'stopped'],
    ]);
  });

  it('stops a group in one step, and never its own', async () => {
    const own = process.pid;
    const host = new FakeHost(entry(2, { group: 7_000_000 }), entry(3, { group: 1 }));
    host.living.set(own, entry(own, { group: 0 }));
    const search = () => [...host.living.values()];
    await killProcesses({
      ...{ exact: true, wholeGroups: true, search, choose: () => [], signal: host.signal },
    });
    expect(host.sent.filter((line) => line.includes(' -'))).toEqual(['SIGSTOP -7000000']);
    expect([...host.living.values()].every(({ state }) => state === 'running')).toBe(true);
  });

  it('does not take a hopper for gone that ended before it could be looked at', async () => {
    const host = new FakeHost();
    let searches = 0;
    const search = () => {
      searches += 1;
      if (searches === 30) {
        host.living.set(8, entry(8));
      }
      return searches < 30 ? [null] : [...host.living.values()];
    };
    const caught = await killProcesses({
      ...{ ...exactly, search, signal: host.signal, clock: fakeClock() },
    });
    expect(caught).toBe(true);
    expect(host.sent).toContain('SIGKILL 8');
  });

  it('passes over a few that vanish where they may be foreign', async () => {
    const host = new FakeHost(entry(1));
    const search = () => [...host.living.values(), null];
    const options = { search, signal: host.signal, clock: fakeClock() };
    expect(await killProcesses({ ...options, ...exactly })).toBe(false);
    host.living.set(1, entry(1));
    expect(await killProcesses({ ...options, exact: false, wholeGroups: false })).toBe(true);
  });

  it('waits for one that has been told to stop and has not yet', async () => {
    const host = new FakeHost();
    let searches = 0;
    const search = () => {
      searches += 1;
      // It was in the middle of a fork.
      return searches < 6
        ? [entry(1)]
        : [entry(1, { state: 'stopped' }), entry(2, searches > 6 ? { state: 'stopped' } : {})];
    };
    const caught = await killProcesses({
      ...{ ...exactly, search, signal: host.signal, clock: fakeClock() },
    });
    expect(caught).toBe(true);
    expect(host.sent).toContain('SIGKILL 2');
  });

  it('says so when new ones show up for ever', async () => {
    let pid = 0;
    const sent: string[] = [];
    const caught = await killProcesses({
      ...exactly,
      search: () => {
        pid += 1;
        return [entry(pid)];
      },
      signal: (to, name) => sent.push(`${name} ${to}`) > 0,
      clock: fakeClock(),
    });
    expect(caught).toBe(false);
    expect(sent).toContain(`SIGKILL ${pid}`);
  });

  it.skipIf(!existsSync('/proc/self/stat'))('ends when what was killed has ended', async () => {
    const children = Array.from({ length: 30 }, () => spawn('sleep', ['1000'], { detached: true }));
    const pids = children.map(({ pid }) => pid ?? 0);
    const search = () => pids.map((pid) => sightProcess(pid));
    expect(await killProcesses({ exact: false, wholeGroups: true, search })).toBe(true);
    expect(pids.map((pid) => readProcess(pid))).toEqual(pids.map(() => null));
  });

  it('passes over a process that is gone', () => {
    expect(send(2 ** 22 + 1, 'SIGKILL')).toBe(false);
  });
});

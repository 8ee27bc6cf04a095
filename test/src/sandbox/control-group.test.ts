import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ControlGroup,
  controllerPlaces,
  sweepControlGroups,
} from '../../../src/sandbox/control-group.js';
import { currentOwner, formatOwnerLabel, ownerLabel } from '../../../src/sandbox/sandbox-owner.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';
import { describeEachSandbox, output } from './sandbox-under-test.js';

const owner = currentOwner('test');
const limits = { memoryMb: 64, processes: 50, cpus: 0.5 };

describe('a control group', () => {
  it('is not made where its files do not appear, and nothing is left of the attempt', async () => {
    const mount = await temporaryFolder({ 'own/cgroup.procs': '' });
    const place = { version: 2, mount, own: join(mount, 'own') } as const;
    const group = new ControlGroup(owner, limits, { memory: place, pids: place, cpu: place });
    expect(group.enforced).toEqual({ memory_mb: false, pids: false, cpus: false });
    expect(group.outOfMemoryCount()).toBe(0);
    expect(readdirSync(mount)).toEqual(['own']);
    expect(readdirSync(join(mount, 'own'))).toEqual(['cgroup.procs']);
    await group.remove();
  });

  it('limits nothing that nobody asked for', () => {
    const group = new ControlGroup(owner, { memoryMb: null, processes: null, cpus: null });
    expect(group.enforced).toEqual({ memory_mb: false, pids: false, cpus: false });
  });
});

/** Whether this host lets this process limit memory. */
const works = (() => {
  const group = new ControlGroup(owner, limits);
  const { memory_mb } = group.enforced;
  void group.remove();
  return memory_mb;
})();

describe.skipIf(!works)('a control group of this host', () => {
  it('holds a process and what it starts, and is gone when it is removed', async () => {
    const group = new ControlGroup(owner, limits);
    const child = spawn('sh', ['-c', 'read line; sleep 1000 & echo $!; wait'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    group.add(child.pid ?? 0);
    child.stdin.write('go\n');
    const [started] = await once(child.stdout, 'data');
    const ownGroup = readFileSync(`/proc/${String(started).trim()}/cgroup`, 'utf8');
    expect(ownGroup).toContain(`talaria-${formatOwnerLabel(ownerLabel(owner))}/s-`);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await once(child, 'exit');
    await group.remove();
    const label = formatOwnerLabel(ownerLabel(owner));
    for (const { own: place, mount } of Object.values(controllerPlaces())) {
      expect(existsSync(join(place, `talaria-${label}`))).toBe(false);
      expect(existsSync(join(mount, `talaria-${label}`))).toBe(false);
    }
  });

  it('of a dead owner is swept, and that of a live one stays', async () => {
    const child = spawn('sleep', ['1000']);
    const dead = { runId: 'dead', pid: child.pid ?? 0, startedAt: '' };
    const label = formatOwnerLabel(ownerLabel(dead));
    const group = new ControlGroup(dead, limits);
    const mine = new ControlGroup(owner, limits);
    const places = Object.values(controllerPlaces());
    const isThere = () =>
      places.some((place) =>
        [place.own, place.mount].some((path) => existsSync(join(path, `talaria-${label}`))),
      );
    expect(isThere()).toBe(true);
    sweepControlGroups();
    expect(isThere()).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    sweepControlGroups();
    expect(isThere()).toBe(false);
    expect(group.enforced.memory_mb).toBe(true);
    await mine.remove();
  });
});

describeEachSandbox(
  'a limit of a bubblewrap sandbox',
  ({ open }) => {
    it('of disk space ends a sandbox that exceeds it, with the reason', async () => {
      const sandbox = await open({ diskMb: 200 });
      const bomb = sandbox.session.exec('yes | head -c 20G >~/bomb', { timeoutMs: 60_000 });
      await expect(bomb).rejects.toThrow('it wrote more than its 200 MB (sandbox.disk_mb)');
      await expect(sandbox.session.exec('true')).rejects.toThrow('more than its 200 MB');
    });

    it.skipIf(!works)(
      'of memory ends the command, which is told, and the next one works',
      async () => {
        const sandbox = await open({ memoryMb: 64 });
        expect(sandbox.limits).toMatchObject({ memory_mb: true, pids: true, cpus: false });
        await sandbox.session.exec('export KEPT=1');
        const result = await sandbox.session.exec(
          'perl -e \'$x = "x" x 200_000_000; print length $x\'',
        );
        expect(result).toMatchObject({ outOfMemory: true });
        expect(result.exitCode).not.toBe(0);
        expect(await output(sandbox, 'echo works $KEPT')).toBe('works 1\n');
        expect(await sandbox.session.exec('kill -9 $$')).toMatchObject({ outOfMemory: false });
      },
    );

    it.skipIf(!works)('of processors is told and kept', async () => {
      const sandbox = await open({ cpus: 0.2 });
      expect(sandbox.limits).toMatchObject({ cpus: true });
      const spin = await output(
        sandbox,
        "perl -e 'use Time::HiRes q(time); my $e = time + 1; 1 while time < $e; print +(times)[0] + (times)[1]'",
      );
      expect(Number(spin)).toBeLessThan(0.5);
    });
  },
  ['bubblewrap'],
);

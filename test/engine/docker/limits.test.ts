import { describe, expect, it } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { openDocker } from '../../helpers/open-docker.js';
import { output } from '../../src/sandbox/sandbox-under-test.js';

const profiles: readonly SandboxProfile[] = ['root', 'strict'];

describe.each(profiles)('in a container of the profile %s', (profile) => {
  it('a fork bomb stays inside, and leaves room for the commands after it', async () => {
    const sandbox = await openDocker({ profile });
    const bomb = await sandbox.session.exec('b() { b | b & b; }; b', { timeoutMs: 3_000 });
    expect(bomb.durationMs).toBeLessThan(20_000);
    // It may leave no process for one of the next commands; then the shell is replaced, and the bomb goes with the old one.
    const answers: string[] = [];
    while (answers.length < 20 && answers.at(-1) !== '') {
      answers.push(await output(sandbox, 'echo works'));
    }
    expect(answers.slice(0, -1).every((answer) => answer === 'works\n')).toBe(true);
    expect(await output(sandbox, 'echo works')).toBe('works\n');
    expect(Number(await output(sandbox, 'ls -d /proc/[0-9]* | wc -l'))).toBeLessThan(50);
  });

  it('memory that runs out ends the command, which is told, and the next one works', async () => {
    const sandbox = await openDocker({ profile, memoryMb: 64 });
    await sandbox.session.exec('export KEPT=1');
    const result = await sandbox.session.exec(
      'perl -e \'$x = "x" x 200_000_000; print length $x\'',
    );
    expect(result).toMatchObject({ exitCode: 137, outOfMemory: true });
    expect(await output(sandbox, 'echo works $KEPT')).toBe('works 1\n');
    const killed = await sandbox.session.exec('kill -9 $$');
    expect(killed).toMatchObject({ exitCode: 137, outOfMemory: false });
  });

  it('orphans that ended are reaped', async () => {
    const sandbox = await openDocker({ profile });
    await sandbox.session.exec('for i in $(seq 300); do (sleep 0 & exit) & done; wait');
    await expect
      .poll(() => output(sandbox, 'grep -l "^State:.Z" /proc/[0-9]*/status 2>/dev/null | wc -l'), {
        timeout: 10_000,
      })
      .toBe('0\n');
  });

  it('a signal to everything does not end the sandbox', async () => {
    const sandbox = await openDocker({ profile });
    await sandbox.session.exec('cd /tmp; export KEPT=1; sleep 1000 &');
    await sandbox.session.exec('kill -9 -1; kill -9 1', { timeoutMs: 10_000 });
    expect(await output(sandbox, 'pwd; echo $KEPT')).toBe('/tmp\n1\n');
    await sandbox.session.exec('kill -9 -1');
    const late = await sandbox.session.exec('sleep 1000', { timeoutMs: 500 });
    expect(late.timedOut).toBe(true);
    expect(await output(sandbox, 'echo works')).toBe('works\n');
  });

  it('half a processor is half a processor', async () => {
    const sandbox = await openDocker({ profile, cpus: 0.5 });
    expect(sandbox.limits).toMatchObject({ cpus: true, memory_mb: true });
    const quota = await output(
      sandbox,
      'cat /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us',
    );
    const [used, period] = quota.trim().split(/\s+/).map(Number);
    expect((used ?? 0) / (period ?? 1)).toBe(0.5);
  });
});

it('a container that fills the disk is ended within its limit, with the reason', async () => {
  const sandbox = await openDocker({ diskMb: 200 });
  const bomb = sandbox.session.exec('yes | head -c 20G >/root/bomb', { timeoutMs: 60_000 });
  await expect(bomb).rejects.toThrow('it wrote more than its 200 MB (sandbox.disk_mb)');
  await expect(sandbox.session.exec('true')).rejects.toMatchObject({ code: 'sandbox_unavailable' });
});

it('a strict container has no more disk than its memory', async () => {
  const sandbox = await openDocker({ profile: 'strict', memoryMb: 200 });
  const bomb = await sandbox.session.exec('yes | head -c 5G >/tmp/bomb', { timeoutMs: 60_000 });
  expect(bomb.exitCode).not.toBe(0);
});

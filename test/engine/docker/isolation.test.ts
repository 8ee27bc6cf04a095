import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { openDocker } from '../../helpers/open-docker.js';
import { output } from '../../src/sandbox/sandbox-under-test.js';

const profiles: readonly SandboxProfile[] = ['root', 'strict'];

describe.each(profiles)('a container of the profile %s', (profile) => {
  it('sees nothing of the host: its files, its engine, its processes, its name', async () => {
    const secret = mkdtempSync(join(tmpdir(), 'secret-'));
    onTestFinished(() => rmSync(secret, { recursive: true }));
    writeFileSync(join(secret, 'key'), 'hunter2');
    const sandbox = await openDocker({ profile });
    for (const path of [
      secret,
      '/var/run/docker.sock',
      '/run/docker.sock',
      `/proc/${process.pid}`,
    ]) {
      const { exitCode } = await sandbox.session.exec(`test -e ${path}`);
      expect([path, exitCode]).toEqual([path, 1]);
    }
    expect(await output(sandbox, 'uname -n')).toBe('sandbox\n');
    expect(
      await output(sandbox, 'grep -c docker /proc/self/mountinfo; ls /proc | grep -c "^[0-9]"'),
    ).not.toContain('hunter2');
    expect(Number(await output(sandbox, 'ls -d /proc/[0-9]* | wc -l'))).toBeLessThan(12);
  });

  it('gives commands no variable of the host', async () => {
    process.env['SOME_API_KEY'] = 'hunter2';
    onTestFinished(() => {
      delete process.env['SOME_API_KEY'];
    });
    const sandbox = await openDocker({ profile });
    expect(await output(sandbox, 'env; cat /proc/*/environ 2>/dev/null')).not.toContain('hunter2');
  });

  it('can mount nothing, load nothing, and change nothing of the host’s kernel', async () => {
    const sandbox = await openDocker({ profile });
    for (const command of [
      'mount -t tmpfs none /mnt',
      'mount -o remount,rw /sys/fs/cgroup',
      'mkdir /sys/fs/cgroup/memory/x',
      'echo 1 >/proc/sys/kernel/panic',
      'echo b >/proc/sysrq-trigger',
      'echo x >/proc/sys/kernel/core_pattern',
      'mknod /tmp/disk b 254 0',
      'unshare --user --map-root-user true',
      'unshare --mount true',
      'nsenter --target 1 --net true',
      'chroot /proc/1/root true && ls /host',
      'ip link add dummy0 type dummy',
      'dmesg',
    ]) {
      const { exitCode } = await sandbox.session.exec(command);
      expect([command, exitCode]).not.toEqual([command, 0]);
    }
    const status = await output(
      sandbox,
      'grep -E "CapEff|CapBnd|NoNewPrivs|Seccomp:" /proc/self/status',
    );
    expect(status).toMatch(/NoNewPrivs:\t1\nSeccomp:\t2\n/);
    const allowed = profile === 'strict' ? '0000000000000000' : '00000000000404fb';
    expect(status).toContain(`CapEff:\t${allowed}\nCapBnd:\t${allowed}\n`);
  });

  it('has no network, not even to the host, unless it is asked for', async () => {
    const server = createServer((socket) => socket.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    onTestFinished(() => {
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const script = `perl -MIO::Socket::INET -e 'for my $h (@ARGV) { my $s = IO::Socket::INET->new(PeerAddr => $h, PeerPort => ${port}, Timeout => 2); print $s ? "reached\\n" : "no\\n" }'`;
    const isolated = await openDocker({ profile });
    expect(await output(isolated, `${script} 127.0.0.1 172.17.0.1`)).toBe('no\nno\n');
    expect(await output(isolated, 'ls /sys/class/net')).toBe('lo\n');
    const networked = await openDocker({ profile, network: 'host' });
    // The host's own loopback stays out of reach all the same.
    expect(await output(networked, `${script} 127.0.0.1`)).toBe('no\n');
    expect(networked.limits['network']).toBe(false);
  });

  it('is apart from the next one', async () => {
    const [one, two] = await Promise.all([openDocker({ profile }), openDocker({ profile })]);
    await one.session.exec('echo secret >/tmp/file; sleep 1000 &');
    expect(await output(two, 'ls /tmp; ls -d /proc/[0-9]* | wc -l')).toMatch(/^\d+\n$/);
    expect(
      (await two.session.exec('ping -c 1 -w 1 sandbox 2>/dev/null; test -e /tmp/file')).exitCode,
    ).toBe(1);
  });

  it('reads and writes through links inside itself alone', async () => {
    const sandbox = await openDocker({ profile });
    await sandbox.session.exec('ln -s / /tmp/root; ln -s ../../../../../../etc/hostname /tmp/up');
    expect((await sandbox.session.read('/tmp/up'))?.toString()).toBe('sandbox\n');
    const name = `from-inside-${process.pid}`;
    await sandbox.session.write(`/tmp/root/tmp/${name}`, 'x');
    expect(await output(sandbox, `cat /tmp/${name}`)).toBe('x');
  });
});

it('a strict container has a system that nobody can write to, and says so', async () => {
  const sandbox = await openDocker({ profile: 'strict' });
  for (const path of ['/x', '/usr/x', '/etc/x', '/bin/x', '/var/x', '/dev/x']) {
    const { exitCode } = await sandbox.session.exec(`: >${path}`);
    expect([path, exitCode]).not.toEqual([path, 0]);
  }
  expect(await output(sandbox, 'id -u; echo text >file && cat file; echo $HOME')).toBe(
    '65534\ntext\n/home/agent\n',
  );
  expect(sandbox.limits).toMatchObject({ read_only_system: true, network: true, pids: true });
});

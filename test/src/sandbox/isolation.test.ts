import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { release, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { processLimit } from '../../../src/sandbox/process-limit.js';
import { describeEachSandbox, output } from './sandbox-under-test.js';

/** Files of /proc that the asking process may write to, but for those that hold for its own namespaces alone. */
const writableSystemFiles = [
  'find /proc/sys/kernel /proc/sys/vm /proc/sys/fs /proc/sys/dev /proc/sysrq-trigger /proc/irq /proc/bus -type f -writable 2>/dev/null',
  "grep -vE '/(auto_msgmni|msg\\w+|sem|sem_next_id|shm\\w+|pid_max|ns_last_pid|mqueue/.*)$'",
].join(' | ');

describeEachSandbox(
  'isolation',
  ({ open }) => {
    it('hides the host’s home directories, secrets and temporary files', async () => {
      const secret = mkdtempSync(join(tmpdir(), 'secret-'));
      onTestFinished(() => rmSync(secret, { recursive: true }));
      writeFileSync(join(secret, 'key'), 'hunter2');
      const sandbox = await open();
      for (const path of [
        '/root',
        '/etc/shadow',
        '/etc/ssl/private',
        '/srv',
        '/mnt',
        '/boot',
        secret,
      ]) {
        expect([path, await output(sandbox, `ls -A ${path} 2>/dev/null | wc -l`)]).toEqual([
          path,
          '0\n',
        ]);
      }
      expect(await output(sandbox, 'ls -A /home /var /run | tr "\\n" " "')).toBe(
        '/home: agent  /run: talaria  /var: run tmp ',
      );
      expect(await output(sandbox, 'ls -A /tmp /work ~ | grep -v :')).toBe('\n\n');
    });

    it('gives commands no variable of the host', async () => {
      process.env['SOME_API_KEY'] = 'hunter2';
      onTestFinished(() => {
        delete process.env['SOME_API_KEY'];
      });
      const sandbox = await open();
      const names = (await output(sandbox, 'env'))
        .split('\n')
        .map((line) => line.split('=')[0])
        .filter((name) => name !== '' && name !== '_' && name !== 'SHLVL')
        .sort();
      expect(names).toEqual(['HOME', 'LANG', 'OLDPWD', 'PATH', 'PWD', 'TALARIA_EXEC_ID', 'TERM']);
      expect(await output(sandbox, 'cat /proc/*/environ')).not.toContain('hunter2');
    });

    it('names neither the host nor its user', async () => {
      const sandbox = await open();
      expect(await output(sandbox, 'uname -n')).toBe('sandbox\n');
      expect(await output(sandbox, 'cat /etc/passwd | cut -d: -f1')).toMatch(
        /^root\nagent\nnobody\n$/,
      );
      const { username } = userInfo();
      if (username !== 'root') {
        expect(await output(sandbox, 'whoami; cat /proc/mounts /etc/passwd')).not.toContain(
          username,
        );
      }
    });

    it('leaves the system read-only and the process without capabilities', async () => {
      const sandbox = await open();
      for (const path of [
        '/x',
        '/usr/x',
        '/etc/x',
        '/bin/x',
        '/var/x',
        '/home/x',
        '/etc/ld.so.preload',
        '/dev/x',
      ]) {
        const { exitCode } = await sandbox.session.exec(`: >${path}`);
        expect([path, exitCode]).not.toEqual([path, 0]);
      }
      expect(
        await output(sandbox, 'grep -E "CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs" /proc/self/status'),
      ).toBe(
        'CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\n',
      );
      expect(await output(sandbox, 'id -un; id -u')).toMatch(/^agent\n1000\n$/);
      // Asks and does not try: what is written there holds for the whole host.
      expect(await output(sandbox, writableSystemFiles)).toBe('');
      expect(sandbox.limits).toMatchObject({ network: true, cpus: false, read_only_system: true });
    });

    it.skipIf(!['x64', 'arm64', 'riscv64'].includes(process.arch))(
      'reaches neither the host’s keys nor the rights of a user namespace of its own',
      async () => {
        const sandbox = await open();
        const keyctl = process.arch === 'x64' ? 250 : 219;
        // The id of the session's keyring, 0 for "do not make one": the host's secrets may be in it.
        expect(
          await output(
            sandbox,
            `perl -e '$! = 0; print syscall(${keyctl}, 0, -3, 0), " ", $!{ENOSYS} ? "missing" : "there"'`,
          ),
        ).toBe('-1 missing');
        const result = await sandbox.session.exec('unshare --user --map-root-user id');
        expect(result.exitCode).not.toBe(0);
        expect(result.stderr.toString()).toMatch(/not permitted/);
        const script =
          'new (require("worker_threads").Worker)("console.log(1 + 1)", { eval: true })';
        expect(await output(sandbox, `node -e '${script}'; (echo 3 & wait)`)).toBe('2\n3\n');
      },
    );

    it.skipIf(processLimit(release()) === null)(
      'has a limit of processes that holds for it alone',
      async () => {
        const [one, two] = await Promise.all([open(), open()]);
        expect(await output(one, 'prlimit --nproc --output HARD --noheadings | tr -d " "')).toBe(
          '4096\n',
        );
        // The rest of the limit is lowered away here, and not taken: the host is not to feel it.
        await one.session.exec(
          'prlimit --pid 1 --nproc=60:60; for i in $(seq 40); do sleep 99 & done',
        );
        await two.session.exec(
          'prlimit --pid 1 --nproc=60:60; for i in $(seq 40); do sleep 99 & done',
        );
        expect(await output(two, 'echo works; cat /proc/self/oom_score_adj')).toBe('works\n1000\n');
        const bomb = await two.session.exec('b() { b | b & }; b; sleep 0.5', { timeoutMs: 5_000 });
        expect(bomb.stderr.toString()).toMatch(/fork/i);
        await two.session.exec('true');
        expect(await output(two, 'echo works')).toBe('works\n');
      },
    );

    it('sees its own processes only', async () => {
      const sandbox = await open();
      expect(await output(sandbox, 'ls -d /proc/[0-9]* | wc -l')).toMatch(/^[2-6]\n$/);
    });

    it('has no network unless it is asked for', async () => {
      const server = createServer((socket) => socket.end('reached'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => {
        server.close();
      });
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const script = `require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`;
      const isolated = await open();
      expect(await output(isolated, `node -e "${script}"`)).toMatch(
        /^(ECONNREFUSED|ENETUNREACH)\n$/,
      );
      const open_ = await open({ network: 'host' });
      expect(await output(open_, `node -e "${script}"`)).toBe('reached\n');
      expect(open_.limits['network']).toBe(false);
    });

    it('has node and git, and a directory of the task’s own', async () => {
      const sandbox = await open({ cwd: '/app/src' });
      expect(await output(sandbox, 'node -p 1+1; pwd; touch file; ls')).toBe('2\n/app/src\nfile\n');
      expect((await sandbox.session.exec('git init -q . && git status')).exitCode).toBe(0);
      await expect(open({ cwd: '/usr/src/app' })).rejects.toThrow('read-only there');
    });
  },
  ['bubblewrap'],
);

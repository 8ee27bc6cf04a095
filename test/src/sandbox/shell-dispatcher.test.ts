import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.js';
import { ShellChannel } from '../../../src/sandbox/shell-channel.js';
import {
  dispatcherArguments,
  dispatcherEnvironment,
} from '../../../src/sandbox/shell-dispatcher.js';
import { ShellSession } from '../../../src/sandbox/shell-session.js';
import { spawnShell } from '../../../src/sandbox/spawn-shell.js';

for (const command of ['dash', 'bash', 'busybox']) {
  const found = spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim();
  const exists = found !== '';
  if (!exists) {
    process.stderr.write(`skipped: tests of the shell ${command} (not installed)\n`);
  }
  describe.skipIf(!exists)(`the dispatcher in ${command}`, () => {
    const open = async () => {
      const directory = mkdtempSync(join(tmpdir(), 'dispatcher-'));
      mkdirSync(join(directory, 'input'));
      // Shells of many names know from it that they are to be a POSIX shell.
      symlinkSync(found, join(directory, 'sh'));
      const channel = new ShellChannel({
        stateDirectory: directory,
        clock: systemClock,
        host: {
          reopens: false,
          executionId: (number) => `${number}`,
          kill: () => {},
          open: async () =>
            spawnShell({
              command: join(directory, 'sh'),
              args: dispatcherArguments,
              cwd: '/',
              env: dispatcherEnvironment({
                stateDirectory: directory,
                path: process.env['PATH'] ?? '',
                announce: true,
              }),
              outlivesLauncher: false,
              destroy: (_pid, launcher) => launcher.kill('SIGKILL'),
            }),
        },
      });
      onTestFinished(() => {
        channel.close('the test ended');
        rmSync(directory, { recursive: true });
      });
      return new ShellSession({
        name: 'test',
        commandTimeoutMs: 180_000,
        home: directory,
        scratch: directory,
        start: { directory, environment: { PATH: process.env['PATH'] ?? '', GIVEN: "it's" } },
        commands: { channel, lane: 1 },
        files: { channel, lane: 0 },
      });
    };

    it('carries directory and variables over, through every way to end a command', async () => {
      const session = await open();
      await session.exec(`mkdir sub; cd sub; export A="two\nlines 'q' \\"d\\" \\$ ü"`);
      for (const end of [
        'exit 9',
        'exec true',
        'set -eu; false',
        'echo "open',
        'if (',
        'return 3',
        'f() {',
      ]) {
        await session.exec(end);
      }
      const { stdout } = await session.exec('printf "%s\\n" "$PWD" "$A" "$GIVEN"');
      expect(stdout.toString()).toBe(`${session.home}/sub\ntwo\nlines 'q' "d" $ ü\nit's\n`);
    });

    it('takes input, long commands and files of any bytes', async () => {
      const session = await open();
      const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256));
      expect((await session.exec('cat', { stdin: bytes })).stdout.equals(bytes)).toBe(true);
      await session.write("a 'file'", bytes);
      expect((await session.read("a 'file'"))?.equals(bytes)).toBe(true);
      const long = `cat <<'END'\n${'text \\ "\n'.repeat(10_000)}END\n`;
      expect((await session.exec(long)).stdout.length).toBe(90_000);
      const short = `cat <<'END'\n  \\n "$A" ü\t\n\nEND\nexit 3`;
      const result = await session.exec(short);
      expect([result.exitCode, result.stdout.toString()]).toEqual([3, '  \\n "$A" ü\t\n\n']);
    });

    it('restores what was set for one command alone', async () => {
      const session = await open();
      await session.exec('true', { cwd: '/', env: { GIVEN: '2', NEW: '3' } });
      const { stdout } = await session.exec('echo "$GIVEN"; printenv NEW || echo unset; pwd');
      expect(stdout.toString()).toBe(`it's\nunset\n${session.home}\n`);
    });

    it('keeps errors and streams apart, and hides what a signal does to its shell', async () => {
      const session = await open();
      const result = await session.exec('echo out; echo err >&2; sh -c "kill -9 \\$\\$"; exit 137');
      expect([result.exitCode, result.stdout.toString()]).toEqual([137, 'out\n']);
      expect(result.stderr.toString()).toMatch(/^err\n/);
    });
  });
}

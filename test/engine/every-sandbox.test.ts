import { expect, it } from 'vitest';
import { describeEachSandbox, everySandbox, output } from '../src/sandbox/sandbox-under-test.js';

const megabyte = 1024 * 1024;

/** What this process holds, after the garbage of the test before is gone. */
function residentBytes(): number {
  global.gc?.();
  return process.memoryUsage().rss;
}

describeEachSandbox(
  'in a sandbox',
  ({ open }) => {
    it.each([
      ['1 GB', 1_000_000_000],
      ['5 GB', 5_000_000_000],
    ])(
      'a flood of %s is cut, counted to the byte, and held in little memory',
      async (_name, bytes) => {
        const sandbox = await open();
        await sandbox.session.exec('true');
        const before = residentBytes();
        const result = await sandbox.session.exec(`head -c ${bytes} /dev/zero`, {
          timeoutMs: 300_000,
        });
        expect(result).toMatchObject({ exitCode: 0, timedOut: false });
        expect(result.stdout.length).toBe(1_000_000);
        expect(result.omittedBytes.stdout).toBe(bytes - 1_000_000);
        expect(residentBytes() - before).toBeLessThan(150 * megabyte);
        expect(await output(sandbox, 'echo works')).toBe('works\n');
      },
    );

    it('`yes` without end is stopped by its limit, and the next command works', async () => {
      const sandbox = await open();
      const before = residentBytes();
      const result = await sandbox.session.exec('yes', { timeoutMs: 2_000 });
      expect(result).toMatchObject({ exitCode: 124, timedOut: true });
      expect(result.durationMs).toBeLessThan(10_000);
      expect(residentBytes() - before).toBeLessThan(150 * megabyte);
      expect(await output(sandbox, 'echo works')).toBe('works\n');
    });

    it('a program that waits for input finds none', async () => {
      const sandbox = await open();
      expect(await output(sandbox, 'cat; read line; echo "<$line>"')).toBe('<>\n');
    });

    it('a grandchild that holds the output does not hold the command', async () => {
      const sandbox = await open();
      const result = await sandbox.session.exec('(sleep 600 &) ; (setsid sleep 600 &); echo done');
      expect(result.stdout.toString()).toBe('done\n');
      expect(result.durationMs).toBeLessThan(5_000);
    });

    it('100,000 files are made, counted and removed with it', async () => {
      const sandbox = await open();
      const made = await sandbox.session.exec(
        'mkdir many && cd many && seq 100000 | xargs touch && ls | wc -l',
        { timeoutMs: 300_000 },
      );
      expect(made.stdout.toString().trim()).toBe('100000');
      const started = performance.now();
      await sandbox.close();
      expect(performance.now() - started).toBeLessThan(60_000);
    });
  },
  null,
  everySandbox,
);

describeEachSandbox(
  'a signal to everything',
  ({ open }) => {
    it('ends no more than what was running', async () => {
      const sandbox = await open();
      await sandbox.session.exec('export KEPT=1');
      await sandbox.session.exec('kill -9 -1', { timeoutMs: 20_000 });
      expect(await output(sandbox, 'echo works $KEPT')).toBe('works 1\n');
    });
  },
  null,
  // In a local one it would end this test, too.
  everySandbox.filter((label) => label !== 'local'),
);

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { descendantsOf } from '../../../src/sandbox/process-table.js';
import { bubblewrap } from '../../../src/sandbox/providers/bubblewrap.js';
import { formatOwnerLabel, ownerLabel } from '../../../src/sandbox/sandbox-owner.js';
import { eventually, hasBubblewrap, runsOnHost } from './sandbox-under-test.js';

/** Blocks until a process has a child of its own, so that nothing else happens here in between. */
function waitForChild(find: () => number | undefined): number {
  const end = Date.now() + 5_000;
  while (Date.now() < end) {
    const pid = find();
    const child = pid === undefined ? undefined : descendantsOf(pid)[0];
    if (child !== undefined) {
      return child.pid;
    }
  }
  throw new Error('it has no child');
}

describe.skipIf(!hasBubblewrap())('a bubblewrap sandbox that has only begun to start', () => {
  it('leaves no process after a sweep when its owner was killed', async () => {
    const dead = spawn('true');
    const label = formatOwnerLabel(
      ownerLabel({ runId: `killed${process.pid}`, pid: dead.pid ?? 0, startedAt: 'then' }),
    );
    await once(dead, 'exit');
    const directory = join(tmpdir(), `talaria-${label}`);
    mkdirSync(join(directory, 's-1'), { recursive: true, mode: 0o700 });
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const launcher: ChildProcess = spawn(
      'bwrap',
      [
        ...['--unshare-user', '--unshare-pid', '--die-with-parent', '--as-pid-1'],
        // The launcher keeps its child waiting, as it does for a moment in every start.
        ...['--info-fd', '3', '--userns-block-fd', '4'],
        ...['--ro-bind', '/', '/', '--bind', join(directory, 's-1'), '/tmp', 'sleep', '1000'],
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const child = waitForChild(() => launcher.pid);
    onTestFinished(() => {
      try {
        process.kill(child, 'SIGKILL');
      } catch {
        // As it should be.
      }
    });
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    expect(runsOnHost(label)).toBe(true);
    await bubblewrap.sweep();
    expect(await eventually(() => !runsOnHost(label))).toBe(true);
  });
});

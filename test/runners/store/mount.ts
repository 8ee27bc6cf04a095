import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './run-fixture.js';

/** Whether this process may mount a file system: root outside of most containers. Says so when it may not. */
export function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    if (process.env['TALARIA_REQUIRE']?.split(',').includes('mount')) {
      throw new Error('TALARIA_REQUIRE names mount, and nothing can be mounted here.');
    }
    process.stderr.write(
      'SKIPPED: store tests on a full and a read-only disk need root (mount).\n',
    );
    return false;
  }
}

/** A directory on a file system in memory, which goes with the test. */
export function mountMemory(options: string): string {
  const directory = join(temporaryDirectory(), 'disk');
  mkdirSync(directory);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]);
  onTestFinished(() => {
    // Lazy: a store that is closed later in the test's end may still hold a file.
    execFileSync('umount', ['--lazy', directory]);
  });
  return directory;
}

export function remount(directory: string, options: string): void {
  execFileSync('mount', ['-o', `remount,${options}`, directory]);
}

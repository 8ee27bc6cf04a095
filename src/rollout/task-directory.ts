import { posix } from 'node:path';
import type { SandboxSession } from '../sandbox/sandbox.js';
import type { Task } from './task.js';

/** Where a task's own directory is in a sandbox: its cwd, or the sandbox's home. Absolute. */
export function taskDirectory({ cwd }: Task, { home }: SandboxSession): string {
  return posix.resolve(home, cwd ?? '.');
}

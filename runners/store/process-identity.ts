import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { processStart } from '../../src/process-start.js';

/** Enough to tell a process from any other, on this host and on others, also after a restart and in a container. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in whatever form this system tells it; null where it does not. */
  readonly started: string | null;
  readonly host: string;
  /** Id of the installed system: host names are not unique on a shared file system. */
  readonly machine: string | null;
  /** Id of the boot. */
  readonly boot: string | null;
  /** Process ids mean nothing outside their namespace, that is, in another container. */
  readonly namespace: string | null;
}

export function currentProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    started: processStart(process.pid),
    host: hostname(),
    machine: attempt(() => readFileSync('/etc/machine-id', 'utf8').trim() || null),
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** Whether a process still runs; `unknown` when it cannot be seen from here. */
export function processState(
  other: ProcessIdentity,
  self: ProcessIdentity,
): 'alive' | 'dead' | 'unknown' {
  if (other.host !== self.host || differ(other.machine, self.machine)) {
    return 'unknown';
  }
  if (differ(other.boot, self.boot)) {
    return 'dead';
  }
  if (differ(other.namespace, self.namespace)) {
    return 'unknown';
  }
  if (!exists(other.pid)) {
    return 'dead';
  }
  // The number may have been given to another process since.
  return differ(other.started, processStart(other.pid)) ? 'dead' : 'alive';
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}

function attempt<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

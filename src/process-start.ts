import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readProcess } from './sandbox/process-table.js';

/** When a live process started, in a form that no other process with its id has; null when there is none. */
export function processStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
    const entry = readProcess(pid);
    return entry === null ? null : `${boot}.${entry.startTicks}`;
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout?.trim() ? stdout.trim().replace(/\s+/g, '.').replaceAll(':', '.') : null;
  }
}

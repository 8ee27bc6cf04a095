import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const nobody = 65534;

/**
 * Who a bubblewrap sandbox runs as on the host: this user, but nobody for root. Root without a single capability may
 * still write to /proc/sys, and so to `core_pattern`, which runs programs on the host.
 */
export function sandboxUser(uid = process.getuid?.()): number | undefined {
  return uid === 0 ? nobody : undefined;
}

/** Whether everybody may reach a path: what root's sandboxes use has to be reachable for nobody. */
export function isReachableForAll(path: string): boolean {
  for (let above = path; ; above = dirname(above)) {
    const stats = statSync(above, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & 0o001) === 0) {
      return false;
    }
    if (above === '/') {
      return true;
    }
  }
}

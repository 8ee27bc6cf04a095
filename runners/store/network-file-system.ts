import { statfsSync } from 'node:fs';

/** `f_type` of statfs(2) on Linux. */
const names: { readonly [type: number]: string } = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'SMB',
  4266872130: 'SMB',
  1702057286: 'FUSE',
  16914839: '9P',
  12805120: 'Ceph',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  428016422: 'BeeGFS',
  1397113167: 'AFS',
};

/** Name of the network (or user space) file system that holds a directory; null for a local one, or when unknown. */
export function networkFileSystem(directory: string): string | null {
  if (process.platform !== 'linux') {
    // The numbers mean something else there.
    return null;
  }
  try {
    return names[statfsSync(directory).type >>> 0] ?? null;
  } catch {
    return null;
  }
}

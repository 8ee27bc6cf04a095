import { writeEtc } from './bubblewrap-etc.js';
import type { SandboxOwner } from './sandbox.js';
import { SandboxDirectory } from './sandbox-directory.js';
import { formatOwnerLabel, ownerLabel } from './sandbox-owner.js';
import { sandboxUser } from './sandbox-user.js';

/** A directory to be a sandbox's /etc, which it cannot write to. */
export interface HeldEtc {
  readonly path: string;
  /** To be called once, when no process of the sandbox lives any more. */
  release(): Promise<void>;
}

interface Shared {
  readonly directory: SandboxDirectory;
  users: number;
}

const shared = new Map<string, Shared>();

/**
 * The /etc of sandboxes: one for all of an owner's in this thread, since to copy it takes as long as all else that a start
 * does here. One with the network has its own: how names are looked up may change while a run goes on.
 * Throws `sandbox_unavailable`.
 */
export function holdEtc(owner: SandboxOwner, network: 'none' | 'host'): HeldEtc {
  if (network === 'host') {
    const directory = newEtc(owner, network);
    return { path: directory.path, release: () => directory.remove() };
  }
  const key = formatOwnerLabel(ownerLabel(owner));
  const held = shared.get(key) ?? { directory: newEtc(owner, network), users: 0 };
  held.users += 1;
  shared.set(key, held);
  return {
    path: held.directory.path,
    release: async () => {
      held.users -= 1;
      if (held.users === 0) {
        shared.delete(key);
        await held.directory.remove();
      }
    },
  };
}

function newEtc(owner: SandboxOwner, network: 'none' | 'host'): SandboxDirectory {
  const directory = new SandboxDirectory(owner, [], sandboxUser(), 'etc-');
  writeEtc(directory.path, network);
  return directory;
}

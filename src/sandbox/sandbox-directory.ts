import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, TalariaError } from '../errors.js';
import { removeTree } from './remove-tree.js';
import type { SandboxOwner } from './sandbox.js';
import {
  formatOwnerLabel,
  isOwnerDead,
  type OwnerLabel,
  ownerLabel,
  parseOwnerLabel,
} from './sandbox-owner.js';
import { isReachableForAll, sandboxUser } from './sandbox-user.js';

const prefix = 'talaria-';
const sandboxMark = 's-';

/**
 * One sandbox's directory on the host, below one that carries its owner's label. It is open to its user alone. Root's
 * label directory may be passed, but not listed, since the sandbox's user is not root.
 */
export class SandboxDirectory {
  readonly path: string;
  readonly #root: string;
  readonly #userId: number | undefined;
  #paths = 0;

  /**
   * Makes it with these directories in it. Throws `sandbox_unavailable`.
   * @param userId whose it is, where that is not this process's user
   * @param mark what its name begins with; only those that begin with `s-` count as sandboxes
   */
  constructor(owner: SandboxOwner, parts: readonly string[], userId?: number, mark = sandboxMark) {
    this.#userId = userId;
    this.#root = join(baseDirectory(), prefix + formatOwnerLabel(ownerLabel(owner)));
    try {
      this.path = makeBelow(this.#root, mark);
      for (const part of parts) {
        mkdirSync(join(this.path, part), { mode: 0o755 });
      }
      for (const path of ['.', ...parts]) {
        this.#give(join(this.path, path));
      }
    } catch (thrown) {
      throw cannotBeMade(this.#root, thrown);
    }
  }

  /** A path in it that nothing has, and that goes with it. */
  newPath(name: string): string {
    this.#paths += 1;
    return join(this.path, `${name}-${this.#paths}`);
  }

  /** Makes a directory in it that everybody in the sandbox may write to, as to /tmp. Throws `sandbox_unavailable`. */
  addShared(name: string): string {
    const path = this.newPath(name);
    try {
      mkdirSync(path);
      this.#give(path);
      chmodSync(path, 0o1777);
    } catch (thrown) {
      throw cannotBeMade(path, thrown);
    }
    return path;
  }

  #give(path: string): void {
    if (this.#userId !== undefined) {
      chownSync(path, this.#userId, this.#userId);
    }
  }

  /** Removes it, and its parent with the last one. No process of the sandbox may live any more. */
  async remove(): Promise<void> {
    await removeTree(this.path);
    try {
      rmdirSync(this.#root);
    } catch {
      // Other sandboxes of the owner are in it.
    }
  }
}

function cannotBeMade(path: string, thrown: unknown): TalariaError {
  return new TalariaError({
    code: 'sandbox_unavailable',
    message: `A sandbox's directory cannot be made in ${path}: ${messageOf(thrown)}.`,
    cause: thrown,
  });
}

/** Removes the directories of owners that are dead. Resolves with the number of sandboxes among them. */
export async function sweepSandboxDirectories(): Promise<number> {
  let swept = 0;
  const base = baseDirectory();
  for (const name of readdirSync(base)) {
    const label = name.startsWith(prefix) ? parseOwnerLabel(name.slice(prefix.length)) : null;
    const path = join(base, name);
    if (label !== null && isOwnDirectory(path) && isOwnerDead(label)) {
      const sandboxes = await readdir(path).catch(() => []);
      if (await removeTree(path)) {
        swept += sandboxes.filter((entry) => entry.startsWith(sandboxMark)).length;
      }
    }
  }
  return swept;
}

/** The owner of the sandbox that a path lies in; null when it lies in none below this system's temporary directory. */
export function ownerOfPath(path: string): OwnerLabel | null {
  const start = join(baseDirectory(), prefix);
  return path.startsWith(start)
    ? parseOwnerLabel(path.slice(start.length).split('/')[0] ?? '')
    : null;
}

/** The system's directory for temporary files; /tmp where root's own is closed to the user of its sandboxes. */
function baseDirectory(): string {
  const base = tmpdir();
  return sandboxUser() === undefined || isReachableForAll(base) ? base : '/tmp';
}

function makeBelow(root: string, mark: string): string {
  // The last sandbox of the owner may be removing the root at this moment, in another thread.
  for (let attempt = 0; ; attempt += 1) {
    try {
      mkdirSync(root, { mode: sandboxUser() === undefined ? 0o700 : 0o711 });
    } catch (thrown) {
      if (!isOwnDirectory(root)) {
        throw thrown;
      }
    }
    try {
      return mkdtempSync(join(root, mark));
    } catch (thrown) {
      if (attempt === 5) {
        throw thrown;
      }
    }
  }
}

/** A directory of this user that nobody else may list or write to, and no symbolic link to one. */
function isOwnDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return (
    stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o066) === 0
  );
}

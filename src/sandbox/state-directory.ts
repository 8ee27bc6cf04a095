import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const largestFileBytes = 8 * 1024 * 1024;

/** The host's side of the directory that a dispatcher keeps its files in. Commands may do to it what they like. */
export class StateDirectory {
  readonly path: string;
  readonly #userId: number | undefined;
  #generation = 0;

  /** @param userId whose it is, where that is not this process's user */
  constructor(path: string, userId?: number) {
    this.path = path;
    this.#userId = userId;
  }

  /**
   * Makes it anew for a new shell, with what the sessions stored in these files of the one before; no process may use
   * that any more. Returns the files that are there again: one that is no plain file is left behind.
   */
  renew(files: readonly string[]): string[] {
    const kept: string[] = [];
    const old = `${this.path}.${this.#generation}`;
    this.#generation += 1;
    const hasOld = lstatSync(this.path, { throwIfNoEntry: false }) !== undefined;
    if (hasOld) {
      renameSync(this.path, old);
      chmodSync(old, 0o700);
    }
    mkdirSync(join(this.path, 'input'), { recursive: true, mode: 0o700 });
    this.#give(this.path);
    this.#give(join(this.path, 'input'));
    for (const file of hasOld ? files : []) {
      const content = readPlainFile(join(old, file));
      if (content !== null) {
        writeFileSync(join(this.path, file), content, { mode: 0o600 });
        this.#give(join(this.path, file));
        kept.push(file);
      }
    }
    return kept;
  }

  #give(path: string): void {
    if (this.#userId !== undefined) {
      chownSync(path, this.#userId, this.#userId);
    }
  }
}

/** Null for what is no plain file, or too large. A link could name any file of the host, a pipe would wait for ever. */
function readPlainFile(path: string): Buffer | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= largestFileBytes ? readFileSync(file) : null;
  } finally {
    closeSync(file);
  }
}

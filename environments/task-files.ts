import { realpath, stat } from 'node:fs/promises';
import { posix, resolve, sep } from 'node:path';
import { sha256 } from '../src/hash.js';
import { hashFile } from '../src/rollout/hash-file.js';
import type { TaskFile } from '../src/rollout/task.js';
import { BadTask, shown } from './bad-task.js';

/** Reads the `files` of tasks. Files of the host are looked at once, however many rows name them. */
export class TaskFileReader {
  readonly #folder: string;
  readonly #known = new Map<string, { readonly sha256: string; readonly mode: number }>();

  /** Host paths are relative to the folder, and must stay inside: a data set must not read the rest of the host. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `{ path: text }` or `{ path: { host_path | text, mode } }`. Throws {@link BadTask}. */
  async read(files: unknown): Promise<TaskFile[]> {
    if (files === undefined || files === null) {
      return [];
    }
    if (typeof files !== 'object' || Array.isArray(files)) {
      throw new BadTask(`\`files\` must be an object of path to content, not ${shown(files)}`);
    }
    const read: TaskFile[] = [];
    for (const [path, entry] of Object.entries(files)) {
      checkSandboxPath(path);
      read.push(await this.#readEntry(path, entry));
    }
    return read;
  }

  async #readEntry(path: string, entry: unknown): Promise<TaskFile> {
    if (typeof entry === 'string') {
      return textFile(path, entry, 0o644);
    }
    if (typeof entry !== 'object' || entry === null) {
      throw wrongEntry(path, shown(entry));
    }
    const { text, host_path, mode, ...rest } = entry as { readonly [key: string]: unknown };
    const unknown = Object.keys(rest)[0];
    if (unknown !== undefined) {
      throw wrongEntry(path, `an object with the key \`${unknown}\``);
    }
    const givenMode = readMode(path, mode);
    if (typeof text === 'string' && (host_path === undefined || host_path === null)) {
      return textFile(path, text, givenMode ?? 0o644);
    }
    if (typeof host_path !== 'string' || (text !== undefined && text !== null)) {
      throw wrongEntry(path, 'an object without one of them');
    }
    const hostPath = resolve(this.#folder, host_path);
    const known = this.#known.get(hostPath) ?? (await this.#look(path, hostPath));
    this.#known.set(hostPath, known);
    return {
      path,
      text: null,
      host_path: hostPath,
      sha256: known.sha256,
      mode: givenMode ?? known.mode,
    };
  }

  async #look(path: string, hostPath: string) {
    try {
      const real = await realpath(hostPath);
      if (!real.startsWith((await realpath(this.#folder)) + sep)) {
        throw new BadTask(
          `\`files.${path}\` names ${hostPath}, which lies outside ${this.#folder}`,
        );
      }
      const found = await stat(real);
      if (!found.isFile()) {
        // Opening a pipe that nobody writes to would wait for ever.
        throw new BadTask(`\`files.${path}\` names ${hostPath}, which is not a file`);
      }
      return { sha256: await hashFile(real), mode: found.mode & 0o777 };
    } catch (thrown) {
      if (thrown instanceof BadTask) {
        throw thrown;
      }
      throw new BadTask(`\`files.${path}\` names ${hostPath}, which cannot be read as a file`);
    }
  }
}

/** A path that a task may give to a file in the sandbox: absolute, or below the task's directory. */
export function checkSandboxPath(path: string): void {
  if (
    path.trim() === '' ||
    path.endsWith('/') ||
    path.includes('\0') ||
    path.split('/').includes('..') ||
    posix.normalize(path) === '.'
  ) {
    throw new BadTask(`\`files\` has the path ${shown(path)}; it must name a file, without \`..\``);
  }
}

function textFile(path: string, text: string, mode: number): TaskFile {
  return { path, text, host_path: null, sha256: sha256(text), mode };
}

/** A string of octal digits. A number would be read in two ways: 644 is 0o644 to some and 420 to others. */
function readMode(path: string, mode: unknown): number | null {
  if (mode === undefined || mode === null) {
    return null;
  }
  if (typeof mode !== 'string' || !/^(0o?)?[0-7]{3,4}$/.test(mode)) {
    throw new BadTask(
      `\`files.${path}.mode\` must be text of octal digits, for example "0755", not ${shown(mode)}`,
    );
  }
  return Number.parseInt(mode.replace(/^0o/, ''), 8) & 0o7777;
}

function wrongEntry(path: string, found: string): BadTask {
  return new BadTask(
    `\`files.${path}\` must be text, or an object with \`text\` or \`host_path\` and perhaps \`mode\`, not ${found}`,
  );
}

import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { TalariaError } from '../errors.js';
import { fileProblem } from '../file-problem.js';

/** One regular file below a folder. */
export interface FolderFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  /** Absolute path on the host. */
  readonly host_path: string;
  /** Permission bits. */
  readonly mode: number;
}

/**
 * The files below a folder, sorted by path, so that the order is the same on every machine. A symbolic link stands for
 * the file that it leads to, as long as that lies in `boundary`; links to folders, links that lead out and special files are
 * refused with a TalariaError (`data_set`). `.DS_Store` is left out: looking at a folder must not change it.
 */
export async function listFolder(folder: string, boundary: string): Promise<FolderFile[]> {
  const files: FolderFile[] = [];
  await walk(folder, '', await realpath(boundary), files);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(
  folder: string,
  prefix: string,
  boundary: string,
  files: FolderFile[],
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
    throw new TalariaError({
      code: 'data_set',
      message: `${folder} cannot be read: ${fileProblem(thrown)}. Make it readable, or remove it.`,
      cause: thrown,
    });
  });
  for (const entry of entries) {
    const hostPath = join(folder, entry.name);
    const path = prefix + entry.name;
    if (entry.isDirectory()) {
      await walk(hostPath, `${path}/`, boundary, files);
    } else if (entry.name !== '.DS_Store') {
      if (entry.isSymbolicLink() && !(await leadsInside(hostPath, boundary))) {
        throw unusable(hostPath, 'is a link that leads nowhere, or out of its task folder');
      }
      const found = await stat(hostPath);
      if (!found.isFile()) {
        throw unusable(hostPath, 'is neither a file nor a folder');
      }
      files.push({ path, host_path: hostPath, mode: found.mode & 0o777 });
    }
  }
}

async function leadsInside(link: string, boundary: string): Promise<boolean> {
  try {
    return (await realpath(link)).startsWith(boundary + sep);
  } catch {
    return false;
  }
}

function unusable(path: string, what: string): TalariaError {
  return new TalariaError({
    code: 'data_set',
    message: `${path} ${what}. Put a regular file in its place.`,
  });
}

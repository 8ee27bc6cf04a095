import { readFile } from 'node:fs/promises';
import { TalariaError } from '../../src/errors.js';
import { fileProblem } from '../../src/file-problem.js';
import type { FolderFile } from '../../src/rollout/list-folder.js';

const folders = ['files', 'tests', 'solution'];

/**
 * Finds what would make every rollout of a task mean something else, before one is paid for. Throws a TalariaError
 * (`data_set`) that names the file.
 */
export async function checkFiles(files: readonly FolderFile[]): Promise<void> {
  for (const file of files) {
    if (folders.includes(file.path)) {
      throw unusable(file, 'is a file, and must be a folder');
    }
    if (/^(tests|solution)\/.*\.sh$/.test(file.path) && (await hasWindowsLines(file))) {
      throw unusable(
        file,
        "has Windows line ends (CR LF), with which no sh can run it. Convert it: sed -i 's/\\r$//'",
      );
    }
  }
}

async function hasWindowsLines({ host_path: path }: FolderFile): Promise<boolean> {
  try {
    return (await readFile(path)).includes('\r\n');
  } catch (thrown) {
    throw new TalariaError({
      code: 'data_set',
      message: `${path} cannot be read: ${fileProblem(thrown)}.`,
      cause: thrown,
    });
  }
}

function unusable({ host_path: path }: FolderFile, what: string): TalariaError {
  return new TalariaError({ code: 'data_set', message: `${path} ${what}.` });
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TalariaError } from '../../src/errors.js';
import { fileProblem } from '../../src/file-problem.js';

const marks = ['task.yaml', 'instruction.md'];

/**
 * The task folders at a path, sorted by name: the path itself when it is one, else its folders that are. A folder with
 * one of the two files that make a task counts, so that a half-made task is an error and not left out in silence.
 */
export async function findTaskFolders(path: string): Promise<string[]> {
  const entries = await list(path);
  if (entries.some(({ name }) => marks.includes(name))) {
    return [path];
  }
  const folders: string[] = [];
  for (const entry of entries) {
    const folder = join(path, entry.name);
    const link = entry.isSymbolicLink() && !entry.name.startsWith('.');
    if ((entry.isDirectory() || link) && (await isTask(folder))) {
      folders.push(folder);
    }
  }
  if (folders.length === 0) {
    throw new TalariaError({
      code: 'data_set',
      message: `${path} holds no task. A task is a folder with task.yaml and instruction.md; give one, or the folder that holds them.`,
    });
  }
  return folders.sort();
}

/** What cannot be looked into may be one: reading it then tells why, instead of leaving it out in silence. */
async function isTask(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).some((name) => marks.includes(name));
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR');
  }
}

async function list(path: string) {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (thrown) {
    throw new TalariaError({
      code: 'data_set',
      message: `The folder of tasks ${path} cannot be read: ${fileProblem(thrown)}.`,
      cause: thrown,
    });
  }
}

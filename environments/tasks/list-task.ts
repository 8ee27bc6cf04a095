import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TalariaError } from '../../src/errors.js';
import { fileProblem } from '../../src/file-problem.js';
import { type FolderFile, listFolder } from '../../src/rollout/list-folder.js';

/**
 * The files of a task folder, once its parts are known to be what they must be: no rollout should have to find out, and
 * be scored for it. Throws a TalariaError (`data_set`) that names the place and says what to do.
 */
export async function listTask(folder: string): Promise<FolderFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
    // It was found by its name just now: what is not there is what a link leads to.
    const gone = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    const what = gone ? 'is a link that leads nowhere' : `cannot be read: ${fileProblem(thrown)}`;
    throw faulty(folder, `${what}. Mend it, or take it away`, thrown);
  });
  for (const entry of entries) {
    const use = folderUses.get(entry.name);
    if (use !== undefined && !entry.isDirectory()) {
      throw faulty(join(folder, entry.name), `is no folder, and must be one: ${use}`);
    }
  }
  const files = await listFolder(folder, folder);
  if (entries.some(({ name }) => name === 'tests')) {
    await checkTests(join(folder, 'tests', 'test.sh'), files);
  }
  return files;
}

/** The folders that a task may have. */
const folderUses: ReadonlyMap<string, string> = new Map([
  ['files', "it holds the agent's files"],
  ['tests', 'it holds test.sh and what that needs'],
  ['solution', 'it holds solve.sh or other scripts'],
]);

async function checkTests(script: string, files: readonly FolderFile[]): Promise<void> {
  if (!files.some((file) => file.host_path === script)) {
    throw faulty(script, 'is missing: it is what runs the tests. Write it, or remove the folder');
  }
  const text = await readFile(script, 'latin1').catch((thrown: unknown) => {
    throw faulty(script, `cannot be read: ${fileProblem(thrown)}. Make it readable`, thrown);
  });
  const end = text.indexOf('\r\n');
  if (end >= 0) {
    const line = text.slice(0, end).split('\n').length;
    throw faulty(
      script,
      `has a Windows line end (CRLF) in line ${line}, which sh takes for a part of the command. Remove them: sed -i 's/\\r$//' ${script}`,
    );
  }
}

function faulty(path: string, what: string, cause?: unknown): TalariaError {
  return new TalariaError({ code: 'data_set', message: `${path} ${what}.`, cause });
}

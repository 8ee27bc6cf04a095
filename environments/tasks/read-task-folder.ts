import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { TalariaError } from '../../src/errors.js';
import { fileProblem } from '../../src/file-problem.js';
import type { JsonObject } from '../../src/json.js';
import { hashFile } from '../../src/rollout/hash-file.js';
import { type FolderFile, listFolder } from '../../src/rollout/list-folder.js';
import type { Task, TaskFile } from '../../src/rollout/task.js';
import { BadTask, readBy } from '../bad-task.js';
import {
  optionalCommands,
  optionalId,
  optionalObject,
  optionalSeconds,
  optionalText,
  textList,
} from '../task-fields.js';
import { checkFiles } from './check-files.js';

const taskSchema = z.strictObject({
  schema: z.literal('talaria/1', { error: 'must be talaria/1' }),
  id: optionalId,
  image: optionalText,
  cwd: optionalText,
  setup: optionalCommands,
  requires: textList,
  agent_timeout_s: optionalSeconds,
  tests_timeout_s: optionalSeconds,
  tags: textList,
  metadata: optionalObject,
});

const keys = Object.keys(taskSchema.shape);

/** The files that make a folder a task. */
export const taskFile = 'task.yaml';
const instructionFile = 'instruction.md';

/**
 * The task of one folder; its name is the id where `task.yaml` gives none. Throws a TalariaError (`data_set`) that names
 * the file and the key.
 */
export async function readTaskFolder(folder: string): Promise<Task> {
  const fields = await readTaskFile(join(folder, taskFile));
  const prompt = await readInstruction(join(folder, instructionFile));
  const listed = await listFolder(folder, folder);
  await checkFiles(listed);
  const files = await hashAll(listed);
  return {
    id: fields.id ?? basename(folder),
    prompt,
    image: fields.image,
    cwd: fields.cwd,
    files: files.flatMap(underFiles),
    setup: fields.setup,
    requires: fields.requires,
    folder,
    digest: digestOf(files),
    agent_timeout_s: fields.agent_timeout_s,
    tests_timeout_s: fields.tests_timeout_s,
    tags: fields.tags,
    answer: null,
    // YAML has dates and other things that JSON does not.
    metadata: JSON.parse(JSON.stringify(fields.metadata)) as JsonObject,
  };
}

/** Digest of a whole task folder: names, modes and contents. */
export async function digestFolder(folder: string): Promise<string> {
  return digestOf(await hashAll(await listFolder(folder, folder)));
}

interface HashedFile extends FolderFile {
  readonly sha256: string;
}

async function hashAll(files: readonly FolderFile[]): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  for (const file of files) {
    hashed.push({ ...file, sha256: await hashFile(file.host_path) });
  }
  return hashed;
}

function digestOf(files: readonly HashedFile[]): string {
  const hash = createHash('sha256').update('talaria/1\n');
  for (const { path, mode, sha256 } of files) {
    hash.update(`${JSON.stringify([path, mode, sha256])}\n`);
  }
  return hash.digest('hex');
}

function underFiles({ path, host_path, sha256, mode }: HashedFile): TaskFile[] {
  const prefix = 'files/';
  return path.startsWith(prefix)
    ? [{ path: path.slice(prefix.length), text: null, host_path, sha256, mode }]
    : [];
}

async function readTaskFile(path: string): Promise<z.infer<typeof taskSchema>> {
  const text = await readText(path);
  try {
    return readBy(taskSchema, parse(text) ?? {}, keys);
  } catch (thrown) {
    // A ReferenceError is the parser's word for aliases that would grow without end.
    if (
      thrown instanceof BadTask ||
      thrown instanceof YAMLParseError ||
      thrown instanceof ReferenceError
    ) {
      // The parser adds the lines around the place, which this message has on its first line.
      const [problem = ''] = thrown.message.split('\n');
      throw dataSetError(`${path}: ${problem.replace(/:$/, '')}.`, thrown);
    }
    throw thrown;
  }
}

async function readInstruction(path: string): Promise<string> {
  const text = (await readText(path)).trim();
  if (text === '') {
    throw dataSetError(`${path} is empty. Write in it what the agent shall do.`);
  }
  return text.toWellFormed();
}

async function readText(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (thrown) {
    throw dataSetError(
      `${path} cannot be read: ${fileProblem(thrown)}. A task folder has ${taskFile} and ${instructionFile}.`,
      thrown,
    );
  }
}

function dataSetError(message: string, cause?: unknown): TalariaError {
  return new TalariaError({ code: 'data_set', message, cause });
}

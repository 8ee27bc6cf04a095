import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { TalariaError } from '../../src/errors.js';
import { fileProblem } from '../../src/file-problem.js';
import { hashFile } from '../../src/rollout/hash-file.js';
import type { FolderFile } from '../../src/rollout/list-folder.js';
import type { Task, TaskFile } from '../../src/rollout/task.js';
import { parseYamlData } from '../../src/yaml-data.js';
import { BadTask, readBy } from '../bad-task.js';
import {
  optionalCommands,
  optionalId,
  optionalObject,
  optionalSeconds,
  optionalText,
  textList,
} from '../task-fields.js';
import { listTask } from './list-task.js';

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
const taskFile = 'task.yaml';
const instructionFile = 'instruction.md';

/**
 * The task of one folder; its name is the id where `task.yaml` gives none. Throws a TalariaError (`data_set`) that names
 * the file and the key.
 */
export async function readTaskFolder(folder: string): Promise<Task> {
  // Before anything is opened: to open a pipe that nobody writes to would wait for ever.
  const listed = await listTask(folder);
  const fields = await readTaskFile(join(folder, taskFile));
  const prompt = await readInstruction(join(folder, instructionFile));
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
    metadata: fields.metadata,
  };
}

interface HashedFile extends FolderFile {
  readonly sha256: string;
}

async function hashAll(files: readonly FolderFile[]): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  for (const file of files) {
    const sha256 = await hashFile(file.host_path).catch((thrown: unknown) => {
      throw dataSetError(
        `${file.host_path} cannot be read: ${fileProblem(thrown)}. Make it readable, or take it out of the task folder.`,
        thrown,
      );
    });
    hashed.push({ ...file, sha256 });
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
  const parsed = parseYamlData(await readText(path));
  if (!parsed.ok) {
    const { problem, line, column } = parsed;
    throw dataSetError(`${path}: ${problem}, at line ${line}, column ${column}.`);
  }
  try {
    return readBy(taskSchema, parsed.value ?? {}, keys);
  } catch (thrown) {
    throw thrown instanceof BadTask ? dataSetError(`${path}: ${thrown.message}.`, thrown) : thrown;
  }
}

async function readInstruction(path: string): Promise<string> {
  const text = (await readText(path)).trim();
  if (text === '') {
    throw dataSetError(`${path} is empty. Write in it what the agent shall do.`);
  }
  return text;
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((thrown: unknown) => {
    throw dataSetError(
      `${path} cannot be read: ${fileProblem(thrown)}. A task folder has ${taskFile} and ${instructionFile}.`,
      thrown,
    );
  });
  if (!isUtf8(bytes)) {
    throw dataSetError(`${path} is not UTF-8 text. Save the file as UTF-8.`);
  }
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

function dataSetError(message: string, cause?: unknown): TalariaError {
  return new TalariaError({ code: 'data_set', message, cause });
}

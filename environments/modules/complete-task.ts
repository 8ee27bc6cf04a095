import { z } from 'zod';
import { messageOf } from '../../src/errors.js';
import type { Json, JsonObject } from '../../src/json.js';
import type { Task, TaskFile } from '../../src/rollout/task.js';
import { BadTask, readBy, shown } from '../bad-task.js';
import { checkFitForJson, refuseInfinite } from '../fit-for-json.js';
import { wellFormed } from '../prompts/well-formed.js';
import {
  optionalCommands,
  optionalId,
  optionalObject,
  optionalSeconds,
  optionalText,
  promptText,
  textList,
} from '../task-fields.js';
import { checkSandboxPath, type TaskFileReader } from '../task-files.js';

const taskSchema = z.strictObject({
  id: optionalId,
  prompt: promptText,
  image: optionalText,
  cwd: optionalText,
  files: z.unknown().optional(),
  setup: optionalCommands,
  requires: textList,
  folder: optionalText,
  digest: optionalText,
  agent_timeout_s: optionalSeconds,
  tests_timeout_s: optionalSeconds,
  tags: textList,
  answer: z.unknown().optional(),
  metadata: optionalObject,
});

const keys = Object.keys(taskSchema.shape);

/** A task as a user's module yields it, with what it left out filled in. Only `prompt` is needed. Throws {@link BadTask}. */
export async function completeTask(value: unknown, files: TaskFileReader): Promise<Task> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadTask(`a task must be an object such as { prompt: '...' }, not ${shown(value)}`);
  }
  // Tasks cross threads as JSON: what JSON would lose must be lost here already, or threads would see different tasks.
  const fields = readBy(taskSchema, wellFormed(asJson(value)), keys);
  return {
    ...fields,
    files: Array.isArray(fields.files)
      ? fields.files.map(completeFile)
      : await files.read(fields.files),
    answer: (fields.answer ?? null) as Json,
  };
}

function asJson(value: object): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(value, (key, inner: unknown) => {
      if (typeof inner === 'number') {
        refuseInfinite(inner, key);
      }
      return inner;
    });
  } catch (thrown) {
    // The message about a circle draws it, on several lines.
    const [problem] = messageOf(thrown).split('\n');
    throw thrown instanceof BadTask
      ? thrown
      : new BadTask(`a task must be plain JSON (${problem})`);
  }
  const plain = JSON.parse(text) as JsonObject;
  checkFitForJson(plain);
  return plain;
}

const fileSchema = z.strictObject({
  path: z.string({ error: 'must be text' }),
  text: z.string({ error: 'must be text' }).nullable(),
  host_path: z.string({ error: 'must be text' }).nullable(),
  sha256: z.string({ error: 'must be text' }),
  mode: z.number({ error: 'must be a number of permission bits' }),
});

/** A list of files is taken as it is: the module made it and answers for it. */
function completeFile(file: unknown): TaskFile {
  const read = readBy(fileSchema, file, Object.keys(fileSchema.shape));
  checkSandboxPath(read.path);
  if ((read.text === null) === (read.host_path === null)) {
    throw new BadTask(`the file ${read.path} must have either \`text\` or \`host_path\``);
  }
  return read;
}

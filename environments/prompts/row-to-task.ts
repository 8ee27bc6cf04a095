import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../src/json.js';
import type { Task } from '../../src/rollout/task.js';
import { BadTask, readBy, shown } from '../bad-task.js';
import {
  optionalCommands,
  optionalId,
  optionalObject,
  optionalText,
  promptText,
  textList,
} from '../task-fields.js';
import type { TaskFileReader } from '../task-files.js';

const rowSchema = z.object({
  prompt: promptText,
  id: optionalId,
  image: optionalText,
  docker_image: optionalText,
  cwd: optionalText,
  setup: optionalCommands,
  requires: textList,
  tags: textList,
  metadata: optionalObject,
});

const keys = [...Object.keys(rowSchema.shape), 'files', 'answer'];
const ownKeys = new Set(keys);

/**
 * The task of one row. Columns that mean nothing here are carried in its metadata under their names; where `metadata` has
 * the same name, its value stays and the column's is kept as `row.<name>`. Throws {@link BadTask}.
 */
export async function rowToTask(row: Json, files: TaskFileReader): Promise<Task> {
  if (!isJsonObject(row)) {
    throw new BadTask(`a row must be an object such as {"prompt": "..."}, not ${shown(row)}`);
  }
  const fields = readBy(rowSchema, row, keys);
  const metadata = new Map<string, Json>();
  for (const [name, value] of Object.entries(row)) {
    if (!ownKeys.has(name)) {
      metadata.set(Object.hasOwn(fields.metadata, name) ? `row.${name}` : name, value);
    }
  }
  if (
    fields.image !== null &&
    fields.docker_image !== null &&
    fields.image !== fields.docker_image
  ) {
    metadata.set('docker_image', fields.docker_image);
  }
  return {
    id: fields.id,
    prompt: fields.prompt,
    image: fields.image ?? fields.docker_image,
    cwd: fields.cwd,
    files: await files.read(row['files']),
    setup: fields.setup,
    requires: fields.requires,
    folder: null,
    digest: null,
    agent_timeout_s: null,
    tests_timeout_s: null,
    tags: fields.tags,
    answer: row['answer'] ?? null,
    // `fromEntries` makes own keys, also of a column named __proto__.
    metadata: Object.fromEntries([...metadata, ...Object.entries(fields.metadata)]) as JsonObject,
  };
}

import { sha256 } from '../hash.js';
import { canonicalJson, type Json } from '../json.js';
import type { Task } from './task.js';

/**
 * The identity of a task across runs and edits of the data set: what the agent is asked and given, never the
 * position, the answer or the metadata. 64 hexadecimal digits. Two rows with one key are one task.
 */
export function taskKey(task: Task): string {
  const identity: Record<string, Json> = {
    prompt: task.prompt.trim(),
    image: task.image,
    cwd: task.cwd,
    files: task.files
      .map((file): Json => [file.path, file.sha256, file.mode])
      .sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)),
    setup: task.setup,
  };
  if (task.id !== null) {
    identity['id'] = task.id;
  }
  if (task.digest !== null) {
    identity['digest'] = task.digest;
  }
  return sha256(canonicalJson(identity));
}

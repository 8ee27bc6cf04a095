import { sha256 } from '../hash.js';
import { canonicalJson, canonicalObject, type Json } from '../json.js';
import type { Task } from './task.js';

/**
 * The identity of a task across runs and edits of the data set: what the agent is asked and given, never the
 * position, the answer or the metadata. 64 hexadecimal digits. Two rows with one key are one task. `promptJson` is the
 * JSON text of the prompt, for who has it at hand.
 */
export function taskKey(task: Task, promptJson?: string): string {
  const prompt = task.prompt.trim();
  const known = promptJson !== undefined && prompt.length === task.prompt.length;
  const identity: [key: string, text: string][] = [
    ['prompt', known ? promptJson : JSON.stringify(prompt)],
    ['image', canonicalJson(task.image)],
    ['cwd', canonicalJson(task.cwd)],
    ['files', canonicalJson(filesOf(task))],
    ['setup', canonicalJson(task.setup)],
  ];
  if (task.id !== null) {
    identity.push(['id', canonicalJson(task.id)]);
  }
  if (task.digest !== null) {
    identity.push(['digest', canonicalJson(task.digest)]);
  }
  return sha256(canonicalObject(identity));
}

function filesOf({ files }: Task): Json {
  return files
    .map((file): Json => [file.path, file.sha256, file.mode])
    .sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
}

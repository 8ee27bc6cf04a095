import { isJsonObject, parseJson } from '../json.js';
import type { Task } from './task.js';

/**
 * A task as text: the JSON of its prompt in the first line, that of the rest in the second. To encode a long prompt is
 * dear, so it is done once, when the task is planned, and what needs the encoded form later takes it from here.
 */
export function encodeTask(task: Task, promptJson: string = JSON.stringify(task.prompt)): string {
  // JSON text has no line break of its own. The key stays, so that the order of the fields does.
  return `${promptJson}\n${JSON.stringify({ ...task, prompt: null })}`;
}

export type DecodedTask =
  | { readonly ok: true; readonly task: Task; readonly encodedPrompt: EncodedPrompt }
  | { readonly ok: false; readonly error: string };

/** Reads what {@link encodeTask} wrote. */
export function decodeTask(text: string): DecodedTask {
  const end = text.indexOf('\n');
  const promptJson = text.slice(0, Math.max(end, 0));
  const prompt = parseJson(promptJson);
  const rest = parseJson(text.slice(end + 1));
  if (!prompt.ok || !rest.ok) {
    return { ok: false, error: prompt.ok ? 'its second line is no JSON' : prompt.error };
  }
  if (typeof prompt.value !== 'string' || !isJsonObject(rest.value)) {
    return { ok: false, error: 'it holds something else' };
  }
  const task = { ...rest.value, prompt: prompt.value } as unknown as Task;
  return { ok: true, task, encodedPrompt: new EncodedPrompt(task.prompt, promptJson) };
}

/** The JSON text of a prompt, for who comes first: nobody needs it twice, and it may be as large as all else together. */
export class EncodedPrompt {
  readonly #prompt: string;
  #json: string | null;

  constructor(prompt: string, json: string) {
    this.#prompt = prompt;
    this.#json = json;
  }

  /** The JSON text of `content`, or null when that is not the prompt or the text was taken before. */
  take(content: string): string | null {
    if (this.#json === null || content !== this.#prompt) {
      return null;
    }
    const json = this.#json;
    this.#json = null;
    return json;
  }
}

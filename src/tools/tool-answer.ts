import { messageOf } from '../errors.js';
import type { Json, JsonObject } from '../json.js';
import { isSandboxGone } from './sandbox-gone.js';
import type { ToolResult } from './tool.js';

/** A success with a JSON object as its text. */
export function answer(value: JsonObject): ToolResult {
  return { content: JSON.stringify(value), ok: true };
}

/** A failure that the model can react to: `{"error": message, ...details}`. */
export function failure(
  message: string,
  details: { readonly [key: string]: Json } = {},
): ToolResult {
  return { content: JSON.stringify({ error: message, ...details }), ok: false };
}

/** What an operation of the sandbox rejected with, as a failure. A sandbox that is gone is thrown on. */
export function sandboxFailure(what: string, thrown: unknown): ToolResult {
  if (isSandboxGone(thrown)) {
    throw thrown;
  }
  return failure(`${what}: ${messageOf(thrown)}`);
}

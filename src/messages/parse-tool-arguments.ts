import { isJsonObject, type JsonObject, parseJson } from '../json.js';
import { maxNesting } from '../nesting.js';
import { capOutput } from '../text/cap-output.js';

/** What {@link parseToolArguments} found. `error` is a sentence that the model can act upon. */
export type ParsedToolArguments =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly error: string };

const maxErrorLength = 200;

/**
 * Parses the arguments of a tool call as the model wrote them. Strict: a JSON object or an error, since a repaired
 * guess must never run. Only empty text is read as no arguments. Lone surrogates in it become U+FFFD.
 */
export function parseToolArguments(text: string): ParsedToolArguments {
  if (text.trim() === '') {
    return { ok: true, value: {} };
  }
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const reason = capOutput(parsed.error.replace(/\s+/g, ' '), maxErrorLength).text;
    return failure(`The arguments are not valid JSON (${reason.toWellFormed()}).`);
  }
  if (!isJsonObject(parsed.value)) {
    return failure(`The arguments must be a JSON object, not ${kindOf(parsed.value)}.`);
  }
  const problem = settleValue(parsed.value);
  return problem === null ? { ok: true, value: parsed.value } : failure(problem);
}

function failure(error: string): ParsedToolArguments {
  return { ok: false, error };
}

function kindOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/**
 * Walks a freshly parsed value without recursion: finds what must be refused, and replaces lone surrogates in place.
 * Returns the problem, or null.
 */
function settleValue(root: JsonObject): string | null {
  const open: { readonly node: Record<string, unknown>; readonly depth: number }[] = [
    { node: root, depth: 1 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    if (depth > maxNesting) {
      return `The arguments are nested more than ${maxNesting} levels deep.`;
    }
    for (const key of Object.keys(node)) {
      const value = node[key];
      if (pollutesPrototype(key, value)) {
        return `The arguments contain the key "${key}", which is not allowed.`;
      }
      if (typeof value === 'object' && value !== null) {
        open.push({ node: value as Record<string, unknown>, depth: depth + 1 });
      } else if (typeof value === 'string' && !value.isWellFormed()) {
        node[key] = value.toWellFormed();
      }
      if (!key.isWellFormed()) {
        node[key.toWellFormed()] = node[key];
        delete node[key];
      }
    }
  }
  return null;
}

/** `constructor` alone is an ordinary word; only with a `prototype` in it is it an attack. */
function pollutesPrototype(key: string, value: unknown): boolean {
  return (
    key === '__proto__' ||
    (key === 'constructor' && isJsonObject(value) && Object.hasOwn(value, 'prototype'))
  );
}

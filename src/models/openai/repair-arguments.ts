import { isJsonObject, type Json, type JsonObject, parseJson } from '../../json.js';
import { isNestedDeeper, maxNesting } from '../../nesting.js';

/**
 * Arguments that a server accepts when an old turn is sent again: as the model wrote them if they are a JSON object,
 * else repaired, else `{}`. **Never for running a call**: a call with broken arguments is answered with an error, and
 * guessing at the meaning of a cut-off command would run another one.
 */
export function repairArguments(text: string): string {
  const parsed = parseJson(text);
  if (parsed.ok) {
    if (isUsable(parsed.value)) {
      return escapedSurrogate.test(text) ? withoutLoneSurrogates(text, parsed.value) : text;
    }
    // Some models encode the object twice.
    const inner = typeof parsed.value === 'string' ? parseJson(parsed.value) : null;
    return inner?.ok && isUsable(inner.value) ? JSON.stringify(inner.value) : '{}';
  }
  const repaired = parseJson(balance(text));
  return repaired.ok && isJsonObject(repaired.value) ? JSON.stringify(repaired.value) : '{}';
}

/** Depth is where servers differ: some refuse the whole conversation, and this one could not write it again. */
function isUsable(value: Json): value is JsonObject {
  return isJsonObject(value) && !isNestedDeeper(value, maxNesting);
}

const mostExtraClosers = 50;
const escapedSurrogate = /\\u[dD][89a-fA-F]/;

/** Half of an escaped emoji: the server decodes the arguments for its template, and fails on it. */
function withoutLoneSurrogates(text: string, value: JsonObject): string {
  // `JSON.stringify` writes a lone surrogate as an escape, and a whole pair as it is.
  return escapedSurrogate.test(JSON.stringify(value))
    ? JSON.stringify(value, (_key, item: unknown) =>
        typeof item === 'string' ? item.toWellFormed() : item,
      )
    : text;
}

/**
 * One pass that escapes control characters in strings, drops trailing commas, and closes what is open. Linear in the
 * text, which a model may have made a megabyte of brackets. Empty when there is no mending it.
 */
function balance(text: string): string {
  const open: string[] = [];
  const pieces: string[] = [];
  let extra = 0;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"') {
      const end = endOfString(text, at);
      pieces.push(
        end === -1 ? `${escapedControls(text.slice(at))}"` : escapedControls(text.slice(at, end)),
      );
      at = end === -1 ? text.length : end;
      continue;
    }
    if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      if (open.length > maxNesting) {
        return '';
      }
      pieces.push(char);
    } else if (char !== '}' && char !== ']') {
      pieces.push(char);
    } else if (open.includes(char)) {
      closeUntil(char, open, pieces);
    } else {
      extra += 1;
      if (extra > mostExtraClosers) {
        return '';
      }
    }
    at += 1;
  }
  closeUntil(null, open, pieces);
  return pieces.join('');
}

/** The position after the string that opens at `start`, or -1: its quote has an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) {
      escapes += 1;
    }
    if (escapes % 2 === 0) {
      return end + 1;
    }
  }
  return -1;
}

const backslash = 0x5c;
// Built from text, since a literal pattern of control characters is taken for a mistake.
const control = '[\\u0000-\\u001f]';
const escapeOrControl = new RegExp(`\\\\([\\s\\S]?)|${control}`, 'g');

/** A string, or the beginning of one, with its control characters escaped. */
function escapedControls(text: string): string {
  return text.replace(escapeOrControl, (found: string, escaped?: string) => {
    if (escaped === undefined) {
      return JSON.stringify(found).slice(1, -1);
    }
    // A backslash at the very end escapes nothing.
    return escaped === '' ? '' : found;
  });
}

/** Closes inner brackets first, as a model that forgot one of them meant it. */
function closeUntil(closer: string | null, open: string[], pieces: string[]): void {
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    completeLast(pieces);
    pieces.push(top);
    if (top === closer) {
      break;
    }
  }
}

/** Drops white space and a comma at the end, and gives a key its value. */
function completeLast(pieces: string[]): void {
  while (pieces.at(-1)?.trim() === '') {
    pieces.pop();
  }
  if (pieces.at(-1) === ',') {
    pieces.pop();
  } else if (pieces.at(-1) === ':') {
    pieces.push('null');
  }
}

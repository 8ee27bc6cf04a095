import { isJsonObject, type JsonObject, parseJson } from '../../json.js';

/**
 * Arguments that a server accepts when an old turn is sent again: as the model wrote them if they are a JSON object,
 * else repaired, else `{}`. **Never for running a call**: a call with broken arguments is answered with an error, and
 * guessing at the meaning of a cut-off command would run another one.
 */
export function repairArguments(text: string): string {
  const parsed = parseJson(text);
  if (parsed.ok) {
    if (isJsonObject(parsed.value)) {
      return escapedSurrogate.test(text) ? withoutLoneSurrogates(text, parsed.value) : text;
    }
    // Some models encode the object twice.
    const inner = typeof parsed.value === 'string' ? parseJson(parsed.value) : null;
    return inner?.ok && isJsonObject(inner.value) ? JSON.stringify(inner.value) : '{}';
  }
  const repaired = parseJson(balance(text));
  return repaired.ok && isJsonObject(repaired.value) ? JSON.stringify(repaired.value) : '{}';
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

/** One pass that escapes control characters in strings, drops trailing commas, and closes what is open. */
function balance(text: string): string {
  const open: string[] = [];
  let out = '';
  let inString = false;
  let extra = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (inString) {
      if (char === '\\') {
        // A backslash at the very end escapes nothing.
        out += at + 1 < text.length ? char + text.charAt(at + 1) : '';
        at += 1;
      } else {
        inString = char !== '"';
        out += char < ' ' ? JSON.stringify(char).slice(1, -1) : char;
      }
    } else if (char === '"') {
      inString = true;
      out += char;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      out += char;
    } else if (char === '}' || char === ']') {
      if (!open.includes(char)) {
        extra += 1;
        if (extra > mostExtraClosers) {
          return '';
        }
        continue;
      }
      out = closeUntil(char, open, out);
    } else {
      out += char;
    }
  }
  if (inString) {
    out += '"';
  }
  return closeUntil(null, open, out);
}

/** Closes inner brackets first, as a model that forgot one of them meant it. */
function closeUntil(closer: string | null, open: string[], text: string): string {
  let out = text;
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    out = `${withoutDangling(out)}${top}`;
    if (top === closer) {
      break;
    }
  }
  return out;
}

function withoutDangling(text: string): string {
  const trimmed = text.trimEnd();
  if (trimmed.endsWith(',')) {
    return trimmed.slice(0, -1);
  }
  return trimmed.endsWith(':') ? `${trimmed}null` : trimmed;
}

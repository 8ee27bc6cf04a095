/** A value that JSON can carry. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** What {@link parseJson} found. */
export type ParsedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly error: string };

/** Parses JSON text without throwing. `__proto__` becomes a plain own key and never a prototype. */
export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (thrown) {
    return { ok: false, error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** True for a JSON object, not for null and not for an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON text with keys sorted by UTF-16 code unit at every depth and no white space (as RFC 8785 orders
 * them). Equal values give equal text, whatever order their keys were written in.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonicalJson).join(',')}]`;
  }
  if (isJsonObject(value)) {
    return canonicalObject(Object.entries(value).map(([key, one]) => [key, canonicalJson(one)]));
  }
  return JSON.stringify(value);
}

/** The same for an object whose values are canonical JSON text already. Keys must differ. */
export function canonicalObject(
  entries: readonly (readonly [key: string, text: string])[],
): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

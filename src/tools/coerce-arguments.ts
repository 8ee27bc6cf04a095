import { isJsonObject, type Json, type JsonObject, parseJson } from '../json.js';

/**
 * Arguments with the slips that models make put right, as the JSON Schema says: `"42"` where a number is wanted,
 * `"true"`, `"null"`, a list or an object written as JSON text, a single value where a list is wanted, a number where
 * text is wanted. What cannot be put right is left as it is. Text that looks like JSON stays text where text is wanted.
 * Pure: nothing of the input is changed.
 */
export function coerceArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const coerced = coerce(args, schema);
  return isJsonObject(coerced) ? coerced : args;
}

function coerce(value: Json, schema: JsonObject): Json {
  const branches = branchesOf(schema);
  const fitting = branches.find((branch) => hasType(value, branch));
  if (fitting !== undefined) {
    return coerceInside(value, fitting);
  }
  for (const branch of branches) {
    const changed = convert(value, branch);
    if (changed !== undefined) {
      return coerceInside(changed, branch);
    }
  }
  return value;
}

/** The alternatives of a schema, each with at most one type, in the order of the schema. */
function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const union = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(union)) {
    return union.filter(isJsonObject).flatMap(branchesOf);
  }
  const type = schema['type'];
  return Array.isArray(type) ? type.map((one: Json) => ({ ...schema, type: one })) : [schema];
}

function hasType(value: Json, schema: JsonObject): boolean {
  switch (schema['type']) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return true;
  }
}

/** The value as the type of the branch, or undefined when there is no faithful way. */
function convert(value: Json, schema: JsonObject): Json | undefined {
  switch (schema['type']) {
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
    case 'number':
      return toNumber(value);
    case 'integer': {
      const number = toNumber(value);
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case 'boolean':
      return toBoolean(value);
    case 'null':
      return isWord(value, 'null') || isWord(value, 'none') ? null : undefined;
    case 'array':
      return toArray(value, schema);
    case 'object': {
      const parsed = typeof value === 'string' ? parseJson(value) : null;
      return parsed?.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
    }
    default:
      return undefined;
  }
}

function toNumber(value: Json): number | undefined {
  if (typeof value !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value.trim())) {
    return undefined;
  }
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function toBoolean(value: Json): boolean | undefined {
  if (isWord(value, 'true')) {
    return true;
  }
  return isWord(value, 'false') ? false : undefined;
}

function isWord(value: Json, word: string): boolean {
  return typeof value === 'string' && value.trim().toLowerCase() === word;
}

function toArray(value: Json, schema: JsonObject): Json | undefined {
  if (typeof value === 'string') {
    const parsed = parseJson(value);
    if (parsed.ok && Array.isArray(parsed.value)) {
      return parsed.value;
    }
  }
  if (value === null) {
    return undefined;
  }
  const items = schema['items'];
  const single = isJsonObject(items) ? coerce(value, items) : value;
  const fits = !isJsonObject(items) || branchesOf(items).some((branch) => hasType(single, branch));
  return fits ? [single] : undefined;
}

function coerceInside(value: Json, schema: JsonObject): Json {
  if (Array.isArray(value)) {
    const items = schema['items'];
    return isJsonObject(items) ? value.map((item: Json) => coerce(item, items)) : value;
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const properties = schema['properties'];
  const others = schema['additionalProperties'];
  // fromEntries makes plain own keys of all names, `__proto__` too; assignment would not.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const known =
        isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : others;
      return [key, isJsonObject(known) ? coerce(item, known) : item];
    }),
  );
}

import type { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../json.js';
import { nearestName } from '../text/nearest-name.js';

/** What is wrong with the arguments of a call, in sentences that a model can act on. `schema` is the tool's JSON Schema. */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  args: JsonObject,
  schema: JsonObject,
): string {
  const parts = issues.slice(0, mostIssues).map((issue) => describe(issue, args, schema));
  if (issues.length > mostIssues) {
    parts.push(`and ${issues.length - mostIssues} more`);
  }
  return `${parts.join('; ')}. Arguments: ${signature(schema)}.`;
}

const mostIssues = 5;

function describe(issue: z.core.$ZodIssue, args: JsonObject, schema: JsonObject): string {
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? Object.keys(propertiesOf(schema)) : [];
    const where = path === '' ? '' : ` in ${path}`;
    return issue.keys
      .map((key) => {
        const nearest = nearestName(key, known);
        const meant = nearest === null ? '' : `; did you mean ${quote(nearest)}`;
        return `unknown argument ${quote(key)}${where}${meant}`;
      })
      .join('; ');
  }
  const value = valueAt(args, issue.path);
  if (value === undefined) {
    return `missing argument ${path}`;
  }
  const message = issue.message.replace(/^(Invalid (input|option)|Too (small|big)): /, '');
  return `${path}: ${message.replace(/, received .*$/, '')}, got ${quote(value)}`;
}

/** `path (text), offset? (integer)`; the mark is on optional ones. */
function signature(schema: JsonObject): string {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${name}${mark} (${typeText(property)})`;
  });
  return names.length === 0 ? 'none' : names.join(', ');
}

function typeText(property: Json): string {
  if (!isJsonObject(property)) {
    return 'any';
  }
  if (Array.isArray(property['enum'])) {
    return property['enum'].map((value: Json) => JSON.stringify(value)).join(' | ');
  }
  const type = property['type'];
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any';
}

function propertiesOf(schema: JsonObject): JsonObject {
  const properties = schema['properties'];
  return isJsonObject(properties) ? properties : {};
}

function valueAt(args: Json, path: readonly PropertyKey[]): Json | undefined {
  let value: Json | undefined = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return undefined;
    }
    value = (value as { readonly [key: PropertyKey]: Json })[key];
  }
  return value;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`,
    )
    .join('');
}

function quote(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

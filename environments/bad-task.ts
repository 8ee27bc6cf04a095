import type { z } from 'zod';
import { jsonProblem } from '../src/json-problem.js';
import { didYouMean, nearestName } from '../src/text/nearest-name.js';

/** What is wrong with one row, one task file or one task of a module. Its reader adds where it is. */
export class BadTask extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadTask';
  }
}

/** Reads a value by a schema whose messages say what a value must be (`must be text`). Throws {@link BadTask}. */
export function readBy<T>(schema: z.ZodType<T>, value: unknown, keys: readonly string[]): T {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const problem = jsonProblem(inner);
      if (problem !== null) {
        throw new BadTask(`\`${name}\` ${problem}`);
      }
    }
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  if (issue === undefined) {
    throw new BadTask('cannot be read');
  }
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    throw new BadTask(
      `unknown key \`${key}\`${didYouMean(nearestName(key, keys))} The keys are ${keys.join(', ')}`,
    );
  }
  const found = issue.path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
  const name = issue.path.join('.');
  throw new BadTask(
    found === undefined
      ? `\`${name}\` is missing; it ${issue.message}${keysOf(value, issue.path.length)}`
      : `\`${name}\` ${issue.message}, not ${shown(found)}`,
  );
}

/** What is there in place of a missing key: a data set of somebody else calls it otherwise. */
function keysOf(value: unknown, depth: number): string {
  const names =
    depth === 1 && typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const more = names.length > 8 ? ', ...' : '';
  const list = names.slice(0, 8).map((name) => name.slice(0, 40).toWellFormed());
  return names.length === 0 ? '' : `. The keys are ${list.join(', ')}${more}`;
}

/** A value for an error message: short, and with its type where that is the point. */
export function shown(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return 'an object';
  }
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return `${text.length > 60 ? `${text.slice(0, 60)}…` : text} (${typeof value})`.toWellFormed();
}

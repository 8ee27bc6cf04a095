import type { Json } from '../src/json.js';
import { maxNesting } from '../src/nesting.js';
import { BadTask } from './bad-task.js';

/**
 * Refuses values that could not be stored as they are: numbers beyond all that a number can hold (`1e999` reads as
 * Infinity, and would be written as null), and values nested deeper than readers of a record can go. Throws
 * {@link BadTask} that names the key.
 */
export function checkFitForJson(value: Json): void {
  const open: Place[] = [{ value, path: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, depth } = next;
    if (typeof next.value === 'number') {
      refuseInfinite(next.value, path);
    } else if (typeof next.value === 'object' && next.value !== null) {
      if (depth === maxNesting) {
        const [top] = path.split('.');
        throw new BadTask(`\`${top}\` is nested more than ${maxNesting} levels deep`);
      }
      for (const [key, inner] of Object.entries(next.value)) {
        open.push({ value: inner, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
      }
    }
  }
}

/** Refuses a number that JSON cannot hold. Throws {@link BadTask}. */
export function refuseInfinite(value: number, path: string): void {
  if (!Number.isFinite(value)) {
    throw new BadTask(
      `\`${path.slice(0, 200).toWellFormed()}\` is ${value}: no number can hold what was written. Write it as text, in quotes`,
    );
  }
}

interface Place {
  readonly value: Json;
  readonly path: string;
  readonly depth: number;
}

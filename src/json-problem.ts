import { isNestedDeeper, maxNesting } from './nesting.js';

/**
 * What keeps data from the outside from being stored and read back as JSON by every reader, Python's included: a number that
 * JSON does not have, or objects in each other without end. Null when nothing does.
 */
export function jsonProblem(value: unknown): string | null {
  if (isNestedDeeper(value, maxNesting)) {
    return `is nested more than ${maxNesting} levels deep`;
  }
  const seen = new Set<unknown>([value]);
  for (const node of seen) {
    if (typeof node === 'number' && !Number.isFinite(node)) {
      return `holds the number ${node}, which JSON cannot express`;
    }
    if (typeof node === 'object' && node !== null) {
      for (const inner of Object.values(node)) {
        seen.add(inner);
      }
    }
  }
  return null;
}

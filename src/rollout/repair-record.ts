import type { RolloutRecord } from './record.js';

/**
 * A copy that can be stored, of a record that breaks an invariant: broken Unicode is replaced, numbers that are not
 * finite become 0, and what JSON cannot carry is left out. Only for a record that is stored as failed.
 */
export function repairRecord(record: RolloutRecord): RolloutRecord {
  return repaired(record, 0) as RolloutRecord;
}

const maxDepth = 100;

function repaired(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'number':
      return Number.isFinite(value) ? value : 0;
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null || depth === maxDepth) {
    return null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => repaired(item, depth + 1));
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key.toWellFormed(), repaired(item, depth + 1)]),
  );
}

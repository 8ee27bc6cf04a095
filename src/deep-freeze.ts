/**
 * Freezes plain data and everything in it, so that whoever is given it cannot change it for others; returns it. Takes
 * any depth, and does not look into what is frozen already.
 */
export function deepFreeze<T>(data: T): T {
  const open: unknown[] = [data];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
      Object.freeze(value);
      for (const inner of Object.values(value)) {
        open.push(inner);
      }
    }
  }
  return data;
}

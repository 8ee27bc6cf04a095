/**
 * Deep enough for any real call, and far from the depth at which a recursive reader, ours or a server's, overflows its
 * stack. `JSON.parse` has no limit of its own.
 */
export const maxNesting = 64;

/** Whether a value that was parsed from JSON has more than `levels` of objects and lists in each other. No recursion. */
export function isNestedDeeper(root: unknown, levels: number): boolean {
  let level: object[] = isNode(root) ? [root] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) {
      return true;
    }
    level = level.flatMap((node) => Object.values(node).filter(isNode));
  }
  return false;
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

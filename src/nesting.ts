/**
 * Deep enough for any real call, and far from the depth at which a recursive reader, ours or a server's, overflows its
 * stack. `JSON.parse` has no limit of its own.
 */
export const maxNesting = 64;

/**
 * Whether a value has more than `levels` of objects and lists in each other, as one that holds itself has. No recursion, and
 * in no more steps a level than the value has parts, however often it refers to one of them.
 */
export function isNestedDeeper(root: unknown, levels: number): boolean {
  let level = new Set(isNode(root) ? [root] : []);
  for (let depth = 1; level.size > 0; depth += 1) {
    if (depth > levels) {
      return true;
    }
    const below = new Set<object>();
    for (const node of level) {
      for (const inner of Object.values(node)) {
        if (isNode(inner)) {
          below.add(inner);
        }
      }
    }
    level = below;
  }
  return false;
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

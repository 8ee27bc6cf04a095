import type { SearchLine } from './parse-matches.js';

/**
 * The matches `offset` to `offset + limit - 1` (from 0), with the lines around them; lines of context that belong to other
 * matches alone are left out. In order of path and line.
 */
export function selectMatches(
  lines: readonly SearchLine[],
  { offset, limit, context }: { offset: number; limit: number; context: number },
): readonly SearchLine[] {
  const sorted = [...lines].sort((a, b) => comparePaths(a.path, b.path) || a.line - b.line);
  const chosen = sorted.filter((line) => !line.isContext).slice(offset, offset + limit);
  if (context === 0) {
    return chosen;
  }
  const near = new Map<string, Set<number>>();
  for (const { path, line } of chosen) {
    const numbers = near.get(path) ?? new Set();
    near.set(path, numbers);
    for (let number = line - context; number <= line + context; number += 1) {
      numbers.add(number);
    }
  }
  const picked = new Set(chosen);
  return sorted.filter(
    (line) => picked.has(line) || (line.isContext && near.get(line.path)?.has(line.line) === true),
  );
}

/** Order of code units, the same on every machine. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

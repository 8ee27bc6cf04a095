/** More than any model reads in one call, and far from where sums of it stop being whole numbers. */
const mostTokens = 1e12;

/** A number of tokens that somebody states, as a whole number; null when it cannot be one. */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= mostTokens ? Math.round(value) : null;
}

/**
 * The candidate that a misspelled name most likely meant, or null when none is close. Case does not count.
 * Of equally close candidates one of the same length wins (two letters that changed places are more likely than one
 * that is missing), then the first.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  const wanted = name.slice(0, longestName).toLowerCase();
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const other = candidate.slice(0, longestName).toLowerCase();
    const distance = editDistance(wanted, other);
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    // Never as much as a whole step: it only decides between equals.
    const preference = distance + (other.length === wanted.length ? 0 : 0.5);
    if (distance <= allowed && preference < bestDistance) {
      best = candidate;
      bestDistance = preference;
    }
  }
  return best;
}

/** Ends a sentence about an unknown name: `; did you mean "x"?` with the nearest one, or the full stop without. */
export function didYouMean(nearest: string | null): string {
  return nearest === null ? '.' : `; did you mean "${nearest}"?`;
}

/** Longer names are compared by their beginning: the work grows with the square. */
const longestName = 64;

/** Damerau-Levenshtein distance, restricted to transpositions of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) {
        cost = Math.min(cost, at(beforePrevious, column - 2) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** One printed line of a search. */
export interface SearchLine {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly content: string;
  /** True for a line that is only printed because a match is near. */
  readonly isContext: boolean;
}

/** Reads what ripgrep and grep print with line numbers. Paths end with NUL, or, from a plain grep, with a colon. */
export function parseMatches(output: string): readonly SearchLine[] {
  const lines = output.split('\n');
  // One program printed all lines, so the first shows how. Any other NUL is the content of a binary file.
  const patterns = withNul.test(lines[0] ?? '') ? [withNul] : [plainMatch, plainContext];
  return lines.flatMap((text): SearchLine[] => {
    const found = patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    const [, path, line, sign, content] = found ?? [];
    if (path === undefined || content === undefined) {
      return [];
    }
    const clean = content.endsWith('\r') ? content.slice(0, -1) : content;
    return [{ path: relative(path), line: Number(line), content: clean, isContext: sign === '-' }];
  });
}

const withNul = /^([^\0]+)\0(\d+)([:-])(.*)$/s;
const plainMatch = /^([^\0]+?):(\d+)(:)([^\0]*)$/s;
const plainContext = /^([^\0]+?)-(\d+)(-)([^\0]*)$/s;

/** Reads paths that end with NUL or with a line end. */
export function parsePaths(output: string): readonly string[] {
  const paths = output.split(output.includes('\0') ? '\0' : '\n');
  return paths.filter((path) => path !== '').map(relative);
}

/** Reads `path NUL count` lines; files without a match are left out. */
export function parseCounts(output: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of output.split('\n')) {
    const [, path, count] = /^(.+)[\0:](\d+)$/s.exec(text) ?? [];
    if (path !== undefined && Number(count) > 0) {
      counts.set(relative(path), Number(count));
    }
  }
  return counts;
}

/** Without the `./` that a search of the working directory puts before each path. */
function relative(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

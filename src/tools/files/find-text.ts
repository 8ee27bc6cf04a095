/** How a passage was found. */
export type MatchKind = 'exact' | 'trailing white space ignored' | 'indentation ignored';

export interface FoundText {
  readonly kind: MatchKind;
  /** At least one, in order, not overlapping. */
  readonly matches: readonly TextMatch[];
}

/** Positions are UTF-16 units. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  /** Gives text that replaces this match the indentation of the file. */
  readonly reindent: (text: string) => string;
}

/**
 * Finds a passage by the strictest of three rules under which it occurs: exactly; by whole lines without the white
 * space at their ends; by whole lines without their indentation, as long as equal indentations of the passage are equal
 * in the file too. Null when none finds it.
 */
export function findText(text: string, passage: string): FoundText | null {
  const exact = findExact(text, passage);
  if (exact.length > 0) {
    return { kind: 'exact', matches: exact };
  }
  if (passage.trim() === '') {
    return null;
  }
  const trailing = findLines(
    text,
    passage,
    (line) => line.trimEnd(),
    () => asItIs,
  );
  if (trailing.length > 0) {
    return { kind: 'trailing white space ignored', matches: trailing };
  }
  const indented = findLines(text, passage, (line) => line.trim(), reindenter);
  return indented.length > 0 ? { kind: 'indentation ignored', matches: indented } : null;
}

type Reindent = TextMatch['reindent'];

const asItIs: Reindent = (text) => text;

function findExact(text: string, passage: string): TextMatch[] {
  const matches: TextMatch[] = [];
  let start = text.indexOf(passage);
  while (start !== -1) {
    const end = start + passage.length;
    matches.push({ start, end, reindent: asItIs });
    start = text.indexOf(passage, end);
  }
  return matches;
}

/** `pair` says how to indent, from lines of the passage and of the file that match, or null when they do not really. */
function findLines(
  text: string,
  passage: string,
  normalize: (line: string) => string,
  pair: (wanted: readonly string[], found: readonly string[]) => Reindent | null,
): TextMatch[] {
  const wanted = passage.split('\n');
  const withEnd = wanted.at(-1) === '' && wanted.length > 1;
  if (withEnd) {
    wanted.pop();
  }
  const lines = text.split('\n');
  const starts = lineStarts(lines);
  const keys = lines.map(normalize);
  const wantedKeys = wanted.map(normalize);
  const matches: TextMatch[] = [];
  for (let row = 0; row + wanted.length <= lines.length; row += 1) {
    const equal = wantedKeys.every((key, index) => key === keys[row + index]);
    const reindent = equal ? pair(wanted, lines.slice(row, row + wanted.length)) : null;
    if (reindent !== null) {
      const lastRow = row + wanted.length - 1;
      const last = lines[lastRow] ?? '';
      const lastStart = starts[lastRow] ?? 0;
      const end = withEnd
        ? Math.min(lastStart + last.length + 1, text.length)
        : lastStart + last.length - (last.endsWith('\r') ? 1 : 0);
      matches.push({ start: starts[row] ?? 0, end, reindent });
      row = lastRow;
    }
  }
  return matches;
}

function lineStarts(lines: readonly string[]): number[] {
  let position = 0;
  return lines.map((line) => {
    const start = position;
    position += line.length + 1;
    return start;
  });
}

/** Null when one indentation of the passage stands for two in the file: then the structure is another. */
function reindenter(wanted: readonly string[], found: readonly string[]): Reindent | null {
  const indents = new Map<string, string>();
  for (const [index, line] of wanted.entries()) {
    if (line.trim() === '') {
      continue;
    }
    const from = indentOf(line);
    const to = indentOf(found[index] ?? '');
    if ((indents.get(from) ?? to) !== to) {
      return null;
    }
    indents.set(from, to);
  }
  const rules = [...indents].sort(([a], [b]) => b.length - a.length);
  return (text) =>
    text
      .split('\n')
      .map((line) => {
        const indent = indentOf(line);
        return line.trim() === '' ? line : translate(indent, rules) + line.slice(indent.length);
      })
      .join('\n');
}

/** Longest known indentation first; what is deeper keeps its rest, what is shallower moves by the same amount. */
function translate(
  indent: string,
  rules: readonly (readonly [from: string, to: string])[],
): string {
  for (const [from, to] of rules) {
    if (indent.startsWith(from)) {
      return to + indent.slice(from.length);
    }
  }
  const [from, to] = rules.at(-1) ?? ['', ''];
  if (to.endsWith(from)) {
    return to.slice(0, to.length - from.length) + indent;
  }
  return from.endsWith(to)
    ? indent.slice(Math.min(indent.length, from.length - to.length))
    : indent;
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

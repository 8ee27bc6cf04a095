import { codePointLength, firstCodePoints } from '../../text/code-points.js';

/** Lines with their numbers, as far as the limit allows. */
export interface NumberedLines {
  readonly text: string;
  /** How many lines were taken. */
  readonly count: number;
}

/**
 * Writes each line as `number|line`. A line of more than 2,000 code points is cut with a mark. Stops before the line
 * that would bring the text over `maxChars` code points, but always takes one.
 */
export function numberLines(
  lines: readonly string[],
  firstNumber: number,
  maxChars: number,
): NumberedLines {
  const taken: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    const numbered = `${firstNumber + index}|${shorten(line)}`;
    chars += codePointLength(numbered) + 1;
    if (chars > maxChars && taken.length > 0) {
      break;
    }
    taken.push(numbered);
  }
  return { text: taken.join('\n'), count: taken.length };
}

/** The lines of a text, without their ends. An end at the very end of the text begins no line. */
export function splitLines(text: string): string[] {
  if (text === '') {
    return [];
  }
  const lines = text.split('\n');
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

const longestLine = 2_000;

function shorten(line: string): string {
  if (line.length <= longestLine) {
    return line;
  }
  const length = codePointLength(line);
  return length <= longestLine
    ? line
    : `${firstCodePoints(line, longestLine)} [line cut: ${length} characters]`;
}

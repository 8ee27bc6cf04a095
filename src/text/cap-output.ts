import { codePointLength, firstCodePoints, lastCodePoints } from './code-points.js';

/** A text within its limit, and how long it had been, in code points. */
export interface CappedText {
  readonly text: string;
  readonly originalChars: number;
  readonly cut: boolean;
}

/**
 * Keeps the head (40 %) and the tail (60 %) of a text that is longer than `maxChars` code points, with a notice
 * between them that says how much is missing. The result, notice included, is never longer than `maxChars`.
 */
export function capOutput(text: string, maxChars: number): CappedText {
  // A code point has one or two units: most texts need no counting.
  if (text.length <= maxChars) {
    return { text, originalChars: codePointLength(text), cut: false };
  }
  const originalChars = codePointLength(text);
  if (originalChars <= maxChars) {
    return { text, originalChars, cut: false };
  }
  return cutMiddle(text, text, originalChars, maxChars);
}

/**
 * The same for a text whose middle is gone already: `omitted` code points are missing between `head` and `tail`.
 */
export function capBrokenOutput(
  head: string,
  tail: string,
  omitted: number,
  maxChars: number,
): CappedText {
  const total = codePointLength(head) + omitted + codePointLength(tail);
  return cutMiddle(head, tail, total, maxChars);
}

function cutMiddle(
  headSource: string,
  tailSource: string,
  originalChars: number,
  maxChars: number,
): CappedText {
  const room = maxChars - notice(originalChars, originalChars).length;
  if (room <= 0) {
    return { text: firstCodePoints(headSource, maxChars), originalChars, cut: true };
  }
  const headRoom = Math.floor(room * 0.4);
  const head = firstCodePoints(headSource, headRoom);
  const tail = lastCodePoints(tailSource, room - headRoom);
  const omitted = originalChars - codePointLength(head) - codePointLength(tail);
  return { text: `${head}${notice(omitted, originalChars)}${tail}`, originalChars, cut: true };
}

function notice(omitted: number, total: number): string {
  return `\n\n[... ${omitted} of ${total} characters left out here ...]\n\n`;
}

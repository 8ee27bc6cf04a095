import { jsonLine } from '../src/text/json-line.js';

/** What {@link jsonText} wrote. */
export interface JsonText {
  readonly text: string;
  /** True when a lone surrogate had to be replaced by U+FFFD. */
  readonly repaired: boolean;
}

/**
 * JSON on one line that every reader takes. Two things that `JSON.stringify` leaves in break real ones: lone
 * surrogates make Arrow refuse the whole file, and readers that cut lines as Python's `splitlines` does cut at
 * U+0085, U+2028 and U+2029. Neither does it hold what a terminal would obey.
 */
export function jsonText(value: unknown): JsonText {
  const plain = jsonLine(value);
  if (!maybeLone.test(plain)) {
    return { text: plain, repaired: false };
  }
  let repaired = false;
  // Every escape is read as one, so that an escaped backslash before `ud800` is not taken for a surrogate.
  const text = plain.replace(anyEscape, (sequence, lone?: string) => {
    if (lone === undefined) {
      return sequence;
    }
    repaired = true;
    return '\ufffd';
  });
  return { text, repaired };
}

const maybeLone = /\\ud[89a-f]/;
const anyEscape = /\\(?:u(d[89a-f][0-9a-f]{2})|[\s\S])/g;

/**
 * Valid JSON text with the white space of Python's `json.dumps`: one space after each `:` and `,`, none elsewhere.
 * Works on the text, so numbers, escapes and the order of keys stay as they were written: `1.0` is not
 * turned into `1`, and a 20-digit id keeps its digits.
 */
export function spacedJson(text: string): string {
  let spaced = '';
  let kept = 0;
  let at = 0;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      at = afterString(text, at);
    } else if (character === colon || character === comma) {
      spaced += `${text.slice(kept, at + 1)} `;
      at = afterWhiteSpace(text, at + 1);
      kept = at;
    } else if (isWhiteSpace(character)) {
      spaced += text.slice(kept, at);
      at = afterWhiteSpace(text, at);
      kept = at;
    } else {
      at += 1;
    }
  }
  return spaced + text.slice(kept);
}

const quote = 0x22;
const colon = 0x3a;
const comma = 0x2c;
const backslash = 0x5c;

function isWhiteSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

function afterWhiteSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhiteSpace(text.charCodeAt(at))) {
    at += 1;
  }
  return at;
}

/** The position after the string that opens at `open`: its quote is the first with an even number of backslashes before. */
function afterString(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) {
      escapes += 1;
    }
    if (escapes % 2 === 0) {
      return end + 1;
    }
  }
  return text.length;
}

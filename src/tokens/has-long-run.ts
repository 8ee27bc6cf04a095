/**
 * True when a text holds more than `limit` characters in a row without a change between white space and anything
 * else. The tokeniser's time grows with the square of such a run: 100,000 equal characters take it 13 s.
 */
export function hasLongRun(text: string, limit: number): boolean {
  let run = 0;
  let wasSpace = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isSpace = code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
    run = isSpace === wasSpace ? run + 1 : 1;
    wasSpace = isSpace;
    if (run > limit) {
      return true;
    }
  }
  return false;
}

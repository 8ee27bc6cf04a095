/** Characters that JSON text may hold and that no line should: readers cut lines at some, terminals obey others. */
const troublesome = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * JSON text in which escapes stand for U+2028, U+2029 and the control characters that `JSON.stringify` leaves in (DEL and
 * U+0080 to U+009F, which are escape sequences of one character to a terminal). It means the same to every reader.
 */
export function jsonLine(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(troublesome, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Length in Unicode code points. A lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index += 1) {
    if (isPairAt(text, index)) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

/** The first `count` code points. Never cuts a surrogate pair. */
export function firstCodePoints(text: string, count: number): string {
  let index = 0;
  for (let taken = 0; taken < count && index < text.length; taken += 1) {
    index += isPairAt(text, index) ? 2 : 1;
  }
  return text.slice(0, index);
}

/** The last `count` code points. Never cuts a surrogate pair. */
export function lastCodePoints(text: string, count: number): string {
  let index = text.length;
  for (let taken = 0; taken < count && index > 0; taken += 1) {
    index -= index > 1 && isPairAt(text, index - 2) ? 2 : 1;
  }
  return text.slice(index);
}

function isPairAt(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
  );
}

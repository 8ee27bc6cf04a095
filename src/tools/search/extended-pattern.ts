/**
 * A regular expression as models write it, in POSIX extended syntax, for a grep without `-P`: classes such as `\d` are
 * spelled out and `(?:` is a plain group. What has no counterpart (look-around, lazy repetition) is left for grep to judge.
 */
export function toExtendedPattern(pattern: string): string {
  let result = '';
  let inSet = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? '';
    const next = pattern[index + 1];
    if (character === '\\' && next !== undefined) {
      result += escaped(next, inSet);
      index += 1;
    } else if (!inSet && pattern.startsWith('(?:', index)) {
      result += '(';
      index += 2;
    } else {
      // A bracket that comes first in a set, also after its `^`, is a member.
      const opens = !inSet && character === '[';
      if (opens) {
        const start = /^\[\^?\]?/.exec(pattern.slice(index))?.[0] ?? '[';
        result += start;
        index += start.length - 1;
        inSet = true;
      } else {
        inSet = inSet && character !== ']';
        result += character;
      }
    }
  }
  return result;
}

function escaped(letter: string, inSet: boolean): string {
  const inside = classes.get(letter);
  if (inside !== undefined) {
    return inSet ? inside : `[${inside}]`;
  }
  const opposite = classes.get(letter.toLowerCase());
  if (opposite !== undefined && !inSet) {
    return `[^${opposite}]`;
  }
  if (letter === 't') {
    return '\t';
  }
  // In a set a backslash is itself, so an escaped member loses it.
  return inSet && letter !== '\\' ? letter : `\\${letter}`;
}

const classes: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', '[:alnum:]_'],
  ['s', '[:space:]'],
]);

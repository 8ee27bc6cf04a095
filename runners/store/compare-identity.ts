/** What makes a run what it is: option name to canonical JSON text. */
export interface RunIdentity {
  readonly [option: string]: string;
}

const longest = 120;

/** One line for each option that differs, with both values; empty when the two are the same run. */
export function compareIdentity(stored: RunIdentity, now: RunIdentity): string[] {
  const options = [...new Set([...Object.keys(stored), ...Object.keys(now)])].sort();
  return options.flatMap((option) => {
    const before = Object.hasOwn(stored, option) ? stored[option] : undefined;
    const after = Object.hasOwn(now, option) ? now[option] : undefined;
    if (before === after) {
      return [];
    }
    const from = differenceStart(before ?? '', after ?? '');
    return [`${option}: it was ${excerpt(before, from)} and now is ${excerpt(after, from)}`];
  });
}

function differenceStart(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) {
    index += 1;
  }
  return index;
}

/** The value, or the part of a long one where the difference begins. */
function excerpt(value: string | undefined, from: number): string {
  if (value === undefined) {
    return 'not set';
  }
  if (value.length <= longest) {
    return value;
  }
  const begin = Math.min(Math.max(0, from - longest / 4), value.length - longest);
  const end = begin + longest;
  return `${begin > 0 ? '…' : ''}${value.slice(begin, end)}${end < value.length ? '…' : ''}`;
}

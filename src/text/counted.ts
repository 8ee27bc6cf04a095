/** `1 task`, `2 tasks`, `0 tasks`: a number and its noun. `shown` writes a big number short. */
export function counted(
  count: number,
  noun: string,
  { plural = `${noun}s`, shown = String }: CountedOptions = {},
): string {
  return `${shown(count)} ${count === 1 ? noun : plural}`;
}

export interface CountedOptions {
  /** @default the noun with an s */
  readonly plural?: string;
  /** @default all digits */
  readonly shown?: (count: number) => string;
}

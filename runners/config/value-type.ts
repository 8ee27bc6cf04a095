import type * as zod from 'zod';

/** The zod module, passed in: it costs 60 ms to load, and `--help` does without it. */
export type Zod = typeof zod;

/** What an option may hold in the file, as a zod type and in words for messages. */
export interface ValueType<Value> {
  /** Continues "Expected `agent.max_turns` to be ...". */
  readonly expects: string;
  /** Placeholder of the value in `--help`; empty for a switch. */
  readonly placeholder: string;
  readonly schema: (z: Zod) => zod.ZodType<Value>;
}

/** Text, at least one character long. */
export const text: ValueType<string> = {
  expects: 'text',
  placeholder: 'TEXT',
  schema: (z) => z.string().min(1),
};

/** Path of a file or folder. */
export const path: ValueType<string> = { ...text, expects: 'a path', placeholder: 'PATH' };

/** true or false. */
export const yesNo: ValueType<boolean> = {
  expects: 'true or false',
  placeholder: '',
  schema: (z) => z.boolean(),
};

/** A whole number of at least `min`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const upTo = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    expects: `a whole number ${upTo}`,
    placeholder: 'N',
    schema: (z) => z.int().min(min).max(max),
  };
}

/** A number from `min` to `max`. */
export function number(min: number, max = Number.MAX_VALUE): ValueType<number> {
  const upTo = max === Number.MAX_VALUE ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    expects: `a number ${upTo}`,
    placeholder: 'X',
    schema: (z) => z.number().min(min).max(max),
  };
}

/**
 * Seconds greater than 0, and short enough for a timer: a longer delay than 2^31 - 1 milliseconds fires at once.
 */
export const seconds: ValueType<number> = {
  expects: 'seconds, more than 0 and at most 2147483',
  placeholder: 'S',
  schema: (z) => z.number().positive().max(2_147_483),
};

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[]): ValueType<Word> {
  return {
    expects: `one of ${words.join(', ')}`,
    placeholder: words.join('|'),
    schema: (z) => z.enum(words),
  };
}

/** Either the type or null. */
export function nullable<Value>(type: ValueType<Value>): ValueType<Value | null> {
  return {
    expects: `${type.expects}, or null`,
    placeholder: type.placeholder,
    schema: (z) => type.schema(z).nullable(),
  };
}

/** A list of texts. */
export const texts: ValueType<readonly string[]> = {
  expects: 'a list of texts, such as [a, b]',
  placeholder: 'A,B,...',
  schema: (z) => z.array(z.string().min(1)),
};

/** A mapping from names to texts; numbers and booleans are taken as they are written. */
export const textByName: ValueType<{ readonly [name: string]: string }> = {
  expects: 'a mapping from names to texts',
  placeholder: '{NAME: TEXT}',
  schema: (z) =>
    z.record(
      z.string(),
      z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]),
    ),
};

/** A mapping of anything that JSON can hold. */
export const anyMapping: ValueType<{ readonly [name: string]: unknown }> = {
  expects: 'a mapping',
  placeholder: '{KEY: VALUE}',
  schema: (z) => z.record(z.string(), z.json()),
};

const pattern = /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** What {@link substituteVariables} found. */
export interface Substitution {
  readonly text: string;
  /** Variables that have neither a value nor a default. */
  readonly missing: readonly string[];
}

/**
 * Replaces `${NAME}` by the variable's value and `${NAME:-default}` by the default where it is unset or empty.
 * `$${` stands for `${`. A `${` that names no variable is left as it is.
 */
export function substituteVariables(
  text: string,
  env: { readonly [name: string]: string | undefined },
): Substitution {
  const missing: string[] = [];
  const replaced = text.replace(
    pattern,
    (
      whole,
      escaped: string | undefined,
      name: string | undefined,
      fallback: string | undefined,
    ) => {
      if (escaped !== undefined || name === undefined) {
        return '${';
      }
      const value = env[name];
      if (fallback !== undefined) {
        return value === undefined || value === '' ? fallback : value;
      }
      if (value === undefined) {
        missing.push(name);
        return whole;
      }
      return value;
    },
  );
  return { text: replaced, missing };
}

/** Names of the variables that a text refers to. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(pattern)].flatMap((match) => (match[2] === undefined ? [] : [match[2]]));
}

/** Text that {@link substituteVariables} gives back as it was. */
export function escapeVariables(text: string): string {
  return text.replaceAll('${', () => '$${');
}

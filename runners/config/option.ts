import type { ValueType } from './value-type.js';

/** One option: everything that the file, the flags, the environment, the help and a resume know of it. */
export interface Option<Value = unknown> {
  /** Key in the configuration file, in file units: `agent.deadline_s`. */
  readonly key: string;
  /** One line for `--help`. */
  readonly help: string;
  readonly type: ValueType<Value>;
  /** In file units. {@link computed}: from other options, see resolve-config.ts. {@link required}: none. */
  readonly fallback: Value | typeof computed | typeof required;
  /** The default in words, where it is computed. */
  readonly fallbackHelp?: string;
  /** Part of what makes a run what it is: a resume refuses a change. */
  readonly identity: boolean;
  /** Flag without the dashes, or null: file, environment variable and `--set` only. */
  readonly flag: string | null;
  /** Further flags, those of the original batch runner among them. */
  readonly aliases?: readonly string[];
  /** Seconds in the file, milliseconds in the resolved configuration. */
  readonly seconds?: true;
  /** A path: relative to the file it stands in, or to the current directory. */
  readonly path?: true;
  /** May hold a secret: run.yaml keeps the `${VARIABLE}` and never its value. */
  readonly secret?: true;
}

/** Marks a default that follows from other options. */
export const computed = Symbol('computed');
/** Marks an option that has no default. */
export const required = Symbol('required');

/**
 * The options of one part of the resolved configuration, by its fields. A field without a row does not compile;
 * null says that no user sets it.
 */
export type OptionsOf<Config> = {
  readonly [Field in keyof Config]-?: Option<Config[Field]> | null;
};

/** Environment variable of a key: `agent.max_turns` is `TALARIA_AGENT_MAX_TURNS`. */
export function environmentName(key: string): string {
  return `TALARIA_${key.replaceAll('.', '_').toUpperCase()}`;
}

import { resolve } from 'node:path';
import * as z from 'zod';
import { TalariaError } from '../../src/errors.js';
import { computed, type Option, type OptionsOf, required } from './option.js';
import type { Setting } from './setting.js';

/** Checked values of options, in file units, by full key; the defaults of those that the user did not set. */
export class OptionValues {
  readonly #settings: ReadonlyMap<string, Setting>;
  readonly #values = new Map<string, unknown>();

  constructor(settings: ReadonlyMap<string, Setting>) {
    this.#settings = settings;
  }

  /** What the user wrote for a key, or null. */
  setting(key: string): Setting | null {
    return this.#settings.get(key) ?? null;
  }

  /** Replaces a value: for defaults that follow from other options. */
  put(key: string, value: unknown): void {
    this.#values.set(key, value);
  }

  /**
   * The value of an option, or undefined where its default is computed and was not {@link put} yet. `key` is its full
   * key where it stands in another place than the table says (`models.judge.use`).
   */
  get<Value>(option: Option<Value>, key: string = option.key): Value | undefined {
    if (this.#values.has(key)) {
      return this.#values.get(key) as Value;
    }
    const setting = this.#settings.get(key);
    const value = setting === undefined ? defaultOf(option) : checked(option, key, setting);
    if (value !== undefined) {
      this.#values.set(key, value);
    }
    return value as Value | undefined;
  }

  /** One part of the resolved configuration: its fields by the rows of `section`, seconds turned into milliseconds. */
  section<Config>(
    section: OptionsOf<Config>,
    keyOf: (option: Option) => string = (option) => option.key,
  ): Partial<Config> {
    const fields: Record<string, unknown> = {};
    for (const [field, option] of Object.entries<Option | null>(section)) {
      const value = option === null ? undefined : this.get(option, keyOf(option));
      if (option !== null && value !== undefined) {
        fields[field] =
          option.seconds === true && typeof value === 'number' ? Math.round(value * 1000) : value;
      }
    }
    return fields as Partial<Config>;
  }
}

/** An error about one setting: what was expected, what was found, and where it stands. */
export function settingError(key: string, expects: string, setting: Setting): TalariaError {
  return new TalariaError({
    code: 'config',
    message: `Expected \`${key}\` to be ${expects}, got ${shown(setting.readings[0])}. It stands in ${setting.origin.text}.`,
  });
}

function checked(option: Option, key: string, setting: Setting): unknown {
  const schema = option.type.schema(z);
  for (const reading of setting.readings) {
    const result = schema.safeParse(reading);
    if (result.success) {
      return option.path === true && typeof result.data === 'string'
        ? resolve(setting.origin.directory, result.data)
        : result.data;
    }
  }
  throw settingError(key, option.type.expects, option.secret === true ? hidden(setting) : setting);
}

function hidden(setting: Setting): Setting {
  return { ...setting, readings: ['(not shown)'] };
}

function defaultOf(option: Option): unknown {
  return option.fallback === computed || option.fallback === required ? undefined : option.fallback;
}

function shown(value: unknown): string {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    // JSON has no NaN and no infinity, and beyond 2^53 a number is not the one that was written.
    return Number.isFinite(value) ? `${value}, which is too big to be exact` : String(value);
  }
  const text = JSON.stringify(value) ?? String(value);
  const kind = value === null ? '' : Array.isArray(value) ? ' (list)' : ` (${typeof value})`;
  return `${text.length > 80 ? `${text.slice(0, 79)}…` : text}${kind === ' (object)' ? ' (mapping)' : kind}`;
}

import { parseArgs } from 'node:util';
import { usageError } from '../../src/errors.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import { options } from '../config/option-table.js';
import type { FlagSetting } from '../config/read-settings.js';
import type { Command, ParsedArguments } from './command.js';
import { isOn, originalFlags } from './original-flags.js';

/** What a flag does, by its name with dashes. */
type Meaning = { readonly isSwitch: boolean; readonly repeats?: boolean } & (
  | { readonly kind: 'own' }
  | { readonly kind: 'option'; readonly key: string; readonly negated: boolean }
  | { readonly kind: 'original'; readonly index: number }
);

/**
 * Takes a command line apart. Flags may be written with underscores, and switches with `=True`, as the original's.
 * Throws a usage error that names the nearest flag.
 */
export function parseArguments(command: Command, argv: readonly string[]): ParsedArguments {
  const meanings = meaningsOf(command);
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      [...meanings].flatMap(([name, { isSwitch }]) => {
        const option = { type: isSwitch ? ('boolean' as const) : ('string' as const) };
        return [
          [name, option],
          [name.replaceAll('-', '_'), option],
        ];
      }),
    ),
  });
  const positionals: string[] = [];
  const flags = new Map<string, string[]>();
  const settings: FlagSetting[] = [];
  const winning: FlagSetting[] = [];
  const notes: string[] = [];
  let apiKey: string | null = null;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      positionals.push(token.value);
    } else if (token.kind === 'option') {
      const name = token.name.replaceAll('_', '-');
      const meaning = meanings.get(name);
      if (meaning === undefined) {
        throw unknownFlag(command, token.rawName, meanings);
      }
      const value = flagValue(token, meaning.isSwitch);
      if (meaning.kind === 'own') {
        const values = flags.get(name) ?? [];
        if (values.length > 0 && meaning.repeats !== true && !meaning.isSwitch) {
          throw usageError(`${token.rawName} is given more than once.`);
        }
        flags.set(name, [...values, value]);
      } else if (meaning.kind === 'option') {
        const switched = isOn(value) !== meaning.negated;
        settings.push({
          flag: token.rawName,
          key: meaning.key,
          value: meaning.isSwitch ? switched : value,
        });
      } else {
        const read = originalFlags[meaning.index]?.read(value) ?? {};
        if (read.error !== undefined) {
          throw usageError(read.error);
        }
        winning.push(...(read.settings ?? []).map((one) => ({ ...one, flag: token.rawName })));
        notes.push(...(read.note === undefined ? [] : [read.note]));
        apiKey = read.apiKey ?? apiKey;
      }
    }
  }
  for (const [name, values] of flags) {
    if (meanings.get(name)?.isSwitch === true && !isOn(values.at(-1) ?? '')) {
      flags.delete(name);
    }
  }
  checkPositionals(command, positionals);
  return { positionals, flags, settings: [...settings, ...winning], apiKey, notes, argv };
}

function meaningsOf(command: Command): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  if (command.takesOptions === true) {
    for (const option of options) {
      const isSwitch = option.type.placeholder === '';
      for (const name of option.flag === null ? [] : [option.flag, ...(option.aliases ?? [])]) {
        meanings.set(name, { kind: 'option', key: option.key, isSwitch, negated: false });
        if (isSwitch) {
          meanings.set(`no-${name}`, { kind: 'option', key: option.key, isSwitch, negated: true });
        }
      }
    }
    for (const [index, { name, placeholder }] of originalFlags.entries()) {
      meanings.set(name, { kind: 'original', index, isSwitch: placeholder === '' });
    }
  }
  for (const { name, placeholder, repeats = false } of command.flags) {
    meanings.set(name, { kind: 'own', isSwitch: placeholder === '', repeats });
  }
  return meanings;
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function flagValue({ rawName, value, inlineValue }: OptionToken, isSwitch: boolean): string {
  if (isSwitch) {
    if (value !== undefined && !/^(true|false|0|1|yes|no|on|off)$/i.test(value)) {
      throw usageError(`${rawName} is a switch: it takes no value, got "${value}".`);
    }
    return value ?? 'true';
  }
  if (value === undefined || (inlineValue !== true && value.startsWith('--'))) {
    throw usageError(`${rawName} needs a value.`);
  }
  return value;
}

function unknownFlag(
  command: Command,
  rawName: string,
  meanings: ReadonlyMap<string, Meaning>,
): Error {
  const name = rawName.replace(/^-+/, '').replaceAll('_', '-');
  const nearest = rawName.startsWith('--') ? nearestName(name, meanings.keys()) : null;
  return usageError(
    `Unknown flag ${rawName}${didYouMean(nearest === null ? null : `--${nearest}`)} See: talaria ${command.name} --help`,
  );
}

function checkPositionals(command: Command, positionals: readonly string[]): void {
  const [least, most] = command.positionals;
  if (positionals.length < least || positionals.length > most) {
    const extra =
      positionals.length > most ? ` (unexpected: ${positionals.slice(most).join(' ')})` : '';
    throw usageError(`Usage: talaria ${command.name} ${command.usage}${extra}`);
  }
}

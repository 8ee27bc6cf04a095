import type { EnvironmentConfig } from '../../environments/environment.js';
import { TalariaError, usageError } from '../../src/errors.js';
import { isJsonObject, type Json } from '../../src/json.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import type { ConfigCatalog } from './config-catalog.js';
import { optionTable } from './option-table.js';
import type { OptionValues } from './option-values.js';
import type { Setting } from './setting.js';

const { kind, path, module, onBadRow } = optionTable.environment;

/** Fills in `environment:`: a kind with its data set, or a user's module. */
export function resolveEnvironment(
  values: OptionValues,
  settings: ReadonlyMap<string, Setting>,
  catalog: ConfigCatalog,
): EnvironmentConfig {
  const own = values.get(kind);
  const file = winningModule(values);
  const dataSet = values.get(path) ?? null;
  const badRow = values.get(onBadRow) ?? 'error';
  const options = ownOptions(settings);
  if (file !== null) {
    values.put('environment.kind', 'module');
    return {
      kind: 'module',
      path: file,
      onBadRow: badRow,
      options: dataSet === null ? options : { ...options, path: dataSet },
    };
  }
  if (own === undefined && dataSet === null) {
    throw usageError(
      'No environment: set `environment: { kind: prompts, path: prompts.jsonl }`, or give --dataset FILE.',
    );
  }
  const name = own ?? 'prompts';
  values.put('environment.kind', name);
  values.put('environment.module', null);
  const known = catalog.environmentKinds.filter((one) => one !== 'module');
  if (!known.includes(name)) {
    throw new TalariaError({
      code: 'config',
      message: `Unknown environment kind "${name}"${didYouMean(nearestName(name, known))} There are ${known.join(', ')}; a module of your own is \`module: ./my-env.js\`.`,
    });
  }
  refuseMisspelled(settings);
  return { kind: name, path: dataSet, onBadRow: badRow, options };
}

/** The module, unless a kind was given on a higher layer. */
function winningModule(values: OptionValues): string | null {
  const file = values.get(module) ?? null;
  const moduleAt = values.setting('environment.module')?.origin;
  const kindAt = values.setting('environment.kind');
  if (
    file === null ||
    moduleAt === undefined ||
    kindAt === null ||
    kindAt.readings[0] === 'module'
  ) {
    return file;
  }
  if (kindAt.origin.layer === moduleAt.layer) {
    throw usageError(
      `Give either \`environment.kind\` (${kindAt.origin.text}) or \`environment.module\` (${moduleAt.text}), not both.`,
    );
  }
  return kindAt.origin.layer > moduleAt.layer ? null : file;
}

function ownOptions(settings: ReadonlyMap<string, Setting>): { readonly [key: string]: Json } {
  const options: Record<string, Json> = {};
  for (const [key, setting] of settings) {
    if (isOwn(key)) {
      options[key.slice('environment.'.length)] = jsonOf(setting);
    }
  }
  return options;
}

/**
 * An option of the environment's own that looks like one of ours is a slip of the keyboard. Any other is for the kind to
 * judge, when it is opened.
 */
function refuseMisspelled(settings: ReadonlyMap<string, Setting>): void {
  const known = ['kind', 'path', 'module', 'on_bad_row'];
  for (const [key, { origin }] of settings) {
    if (!isOwn(key)) {
      continue;
    }
    const nearest = nearestName(key.slice('environment.'.length), known);
    if (nearest !== null) {
      throw new TalariaError({
        code: 'config',
        message: `${origin.text}: unknown key "${key}"${didYouMean(`environment.${nearest}`)}`,
      });
    }
  }
}

function isOwn(key: string): boolean {
  return (
    key.startsWith('environment.') &&
    !Object.values(optionTable.environment).some((option) => option?.key === key)
  );
}

function jsonOf(setting: Setting): Json {
  const value = setting.readings[0];
  const text = JSON.stringify(value);
  if (text === undefined || (typeof value === 'object' && value !== null && !isPlain(value))) {
    throw new TalariaError({
      code: 'config',
      message: `Expected \`${setting.key}\` to be something that JSON can hold. It stands in ${setting.origin.text}.`,
    });
  }
  return JSON.parse(text) as Json;
}

function isPlain(value: object): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

import { usageError } from '../../src/errors.js';
import { didYouMean } from '../../src/text/nearest-name.js';
import { parseYamlData } from '../../src/yaml-data.js';
import { type ConfigFileContext, loadConfigFile } from './load-config-file.js';
import { environmentName } from './option.js';
import { placeOfKey } from './option-keys.js';
import { options } from './option-table.js';
import { layers, type Setting } from './setting.js';

/** A flag that stands for an option. */
export interface FlagSetting {
  /** As the user wrote it, for messages: `--max_turns`. */
  readonly flag: string;
  readonly key: string;
  /** A text is also read as YAML and as a list with commas; anything else is taken as it is. */
  readonly value: unknown;
}

/** Everything that a user can say about a run. */
export interface SettingSources extends ConfigFileContext {
  readonly file: string | null;
  /** `key=value` of each `--set`, in order. */
  readonly sets: readonly string[];
  readonly flags: readonly FlagSetting[];
}

/**
 * What the user said, one setting a key: flags win over `--set`, then environment variables, the file, and the
 * files that it extends.
 */
export async function readSettings(sources: SettingSources): Promise<ReadonlyMap<string, Setting>> {
  const all = [
    ...(sources.file === null ? [] : await loadConfigFile(sources.file, sources)),
    ...fromEnvironment(sources),
    ...sources.sets.map((text) => fromSet(text, sources.cwd)),
    ...sources.flags.map(
      ({ flag, key, value }): Setting => ({
        key,
        readings:
          typeof value === 'string' ? [value, ...yamlReadings(value), ...listOf(value)] : [value],
        origin: { text: flag, directory: sources.cwd, layer: layers.flag },
      }),
    ),
  ];
  const settings = new Map<string, Setting>();
  for (const setting of all) {
    const place = placeOfKey(setting.key);
    if (place.kind === 'inside') {
      settings.set(place.parent, within(settings.get(place.parent), place.parent, setting));
    } else {
      settings.set(setting.key, setting);
    }
  }
  return settings;
}

function fromEnvironment({ env, cwd }: SettingSources): readonly Setting[] {
  return options.flatMap(({ key }) => {
    const name = environmentName(key);
    const value = env[name];
    return value === undefined || value === ''
      ? []
      : [
          {
            key,
            readings: [value, ...yamlReadings(value), ...listOf(value)],
            origin: { text: name, directory: cwd, layer: layers.environment },
          },
        ];
  });
}

function fromSet(text: string, cwd: string): Setting {
  const equals = text.indexOf('=');
  const key = text.slice(0, equals).trim();
  if (equals < 1 || key === '') {
    throw usageError(
      `Expected --set key=value, got \`--set ${text}\`. Example: --set agent.max_turns=10`,
    );
  }
  const place = placeOfKey(key);
  if (place.kind === 'unknown') {
    throw usageError(`--set: unknown key "${key}"${didYouMean(place.nearest)}`);
  }
  if (place.kind === 'section') {
    throw usageError(
      `--set: "${key}" is a section; set one of its keys, for example ${key}.<key>=...`,
    );
  }
  const value = text.slice(equals + 1);
  return {
    key,
    readings: [...yamlReadings(value), value],
    origin: { text: `--set ${key}`, directory: cwd, layer: layers.set },
  };
}

function yamlReadings(text: string): readonly unknown[] {
  const parsed = parseYamlData(text);
  return parsed.ok ? [parsed.value] : [];
}

function listOf(text: string): readonly unknown[] {
  const parts = text.split(',').map((part) => part.trim());
  return [parts.filter((part) => part !== '')];
}

/** Sets one key inside a mapping and keeps its other keys. */
function within(parent: Setting | undefined, key: string, setting: Setting): Setting {
  const path = setting.key.slice(key.length + 1).split('.');
  const base = parent?.readings[0];
  return {
    ...setting,
    key,
    readings: setting.readings.map((value) => setIn(base, path, value)),
    ...(parent?.raw === undefined ? {} : { raw: setIn(parent.raw, path, setting.readings[0]) }),
  };
}

function setIn(base: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) {
    return value;
  }
  const mapping =
    typeof base === 'object' && base !== null && !Array.isArray(base)
      ? (base as { readonly [key: string]: unknown })
      : {};
  return { ...mapping, [head]: setIn(mapping[head], rest, value) };
}

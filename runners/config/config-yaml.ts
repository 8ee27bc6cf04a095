import { stringify } from 'yaml';
import type { Option } from './option.js';
import { options, roleOptions } from './option-table.js';
import type { OptionValues } from './option-values.js';
import { holdsSecret, withoutCredentials } from './secrets.js';
import type { Setting } from './setting.js';
import { escapeVariables, variablesIn } from './substitute-variables.js';

type Tree = { [key: string]: unknown };

/**
 * The resolved configuration as a file that resolves to the same again, without secrets: values that came from a
 * secret variable stand as `${VARIABLE}`, and headers written out in full are left out.
 */
export function configYaml(values: OptionValues, settings: ReadonlyMap<string, Setting>): string {
  const tree: Tree = {};
  const leftOut: string[] = [];
  const put = (key: string, option: Option | null, value: unknown) => {
    const safe = withoutSecrets(value, option, settings.get(key) ?? null);
    if (safe === undefined) {
      leftOut.push(key);
    } else {
      setAt(tree, key.split('.'), safe);
    }
  };
  for (const option of options) {
    const value = values.get(option);
    if (value !== undefined && !isEmptyChoice(option.key, value)) {
      put(option.key, option, value);
    }
  }
  for (const [key, setting] of settings) {
    const [head, role, name] = key.split('.');
    if (head === 'models' && name !== undefined && role !== undefined) {
      const option = roleOptions.get(name) ?? null;
      put(key, option, option === null ? setting.readings[0] : values.get(option, key));
    } else if (head === 'environment' && !options.some((option) => option.key === key)) {
      put(key, null, setting.readings[0]);
    }
  }
  const notes = leftOut.map((key) => `# Left out, since it may hold a secret: ${key}\n`).join('');
  return notes + stringify(tree, { lineWidth: 0 });
}

/** Half of a pair that excludes each other, where the other half was chosen; a module's kind follows from it. */
function isEmptyChoice(key: string, value: unknown): boolean {
  const pairs = ['toolsets.distribution', 'toolsets.enabled', 'environment.module'];
  return (
    (value === null && pairs.includes(key)) || (key === 'environment.kind' && value === 'module')
  );
}

function withoutSecrets(value: unknown, option: Option | null, setting: Setting | null): unknown {
  if (option?.key === 'rewards') {
    return escaped(
      (value as readonly { use: string; weight: number; options: Tree }[]).map(flatReward),
    );
  }
  if (setting !== null && (holdsSecret(setting) || (option?.secret && setting.raw !== undefined))) {
    return option?.key === 'model.headers' ? onlyVariables(setting.raw) : setting.raw;
  }
  if (option?.key === 'model.headers' && Object.keys(value as Tree).length > 0) {
    return undefined;
  }
  return escaped(
    option?.key === 'model.base_url' && typeof value === 'string'
      ? withoutCredentials(value)
      : value,
  );
}

function flatReward({
  use,
  weight,
  options,
}: {
  use: string;
  weight: number;
  options: Tree;
}): Tree {
  return { use, weight, ...options };
}

/** The headers that refer to a variable; the others might be secrets written out. */
function onlyVariables(raw: unknown): Tree {
  return Object.fromEntries(
    Object.entries(raw as Tree).filter(
      ([, text]) => typeof text === 'string' && variablesIn(text).length > 0,
    ),
  );
}

function escaped(value: unknown): unknown {
  if (typeof value === 'string') {
    return escapeVariables(value);
  }
  if (Array.isArray(value)) {
    return value.map(escaped);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)]))
    : value;
}

function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) {
    tree[head] = value;
    return;
  }
  const inner = (tree[head] ?? {}) as Tree;
  tree[head] = inner;
  setAt(inner, rest, value);
}

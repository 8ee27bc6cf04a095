import { nearestName } from '../../src/text/nearest-name.js';
import type { Option } from './option.js';
import { options, roleOptions, sectionNames } from './option-table.js';

/** What a key of the configuration file means. */
export type KeyPlace =
  | { readonly kind: 'option'; readonly option: Option }
  /** A key of the environment's own. */
  | { readonly kind: 'extra' }
  | { readonly kind: 'section' }
  /** A key inside an option that is a mapping, for example `model.extra_body.top_k`. */
  | { readonly kind: 'inside'; readonly parent: string }
  | { readonly kind: 'unknown'; readonly nearest: string | null };

const optionByKey: ReadonlyMap<string, Option> = new Map(
  options.map((option) => [option.key, option]),
);
const mappings = ['model.extra_body', 'model.headers', 'model.price', 'sandbox.env'];
const role = /^models\.([^.]+)$/;
const roleOption = /^models\.[^.]+\.([^.]+)$/;

/** Finds the meaning of a full key. */
export function placeOfKey(key: string): KeyPlace {
  const option = optionByKey.get(key) ?? roleOptions.get(roleOption.exec(key)?.[1] ?? '');
  if (option !== undefined) {
    return { kind: 'option', option };
  }
  if (sectionNames.includes(key) || role.test(key)) {
    return { kind: 'section' };
  }
  if (/^environment\.[^.]+$/.test(key)) {
    return { kind: 'extra' };
  }
  const parent = mappings.find((mapping) => key.startsWith(`${mapping}.`));
  return parent === undefined
    ? { kind: 'unknown', nearest: nearestKey(key) }
    : { kind: 'inside', parent };
}

/** The key that was probably meant: a sibling, the same word in another section, or any key that looks alike. */
export function nearestKey(key: string): string | null {
  const dot = key.lastIndexOf('.');
  const prefix = key.slice(0, dot + 1);
  const word = key.slice(dot + 1);
  const known = [
    ...options.map((option) => option.key),
    ...sectionNames,
    ...(prefix.startsWith('models.') ? [...roleOptions.keys()].map((name) => prefix + name) : []),
  ];
  const siblings = known
    .filter((other) => other.startsWith(prefix) && !other.slice(prefix.length).includes('.'))
    .map((other) => other.slice(prefix.length));
  const sibling = nearestName(word, siblings);
  if (sibling !== null) {
    return prefix + sibling;
  }
  const sameWord = known.find((other) => other.endsWith(`.${word}`));
  return sameWord ?? nearestName(key, known);
}

import { usageError } from '../src/errors.js';
import { didYouMean, nearestName } from '../src/text/nearest-name.js';
import type { Format } from './format.js';
import { formatLoaders } from './formats/index.generated.js';

/** The format of that name. Rejects with a usage error that names the nearest one, or all of them. */
export async function loadFormat(name: string): Promise<Format> {
  const loaders: { readonly [name: string]: () => Promise<Format> } = formatLoaders;
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (load !== undefined) {
    return load();
  }
  const names = formatNames();
  throw usageError(
    `Unknown export format "${name}"${didYouMean(nearestName(name, names))} There are ${names.join(', ')}.`,
  );
}

/** Names of all formats of this build, sorted. */
export function formatNames(): string[] {
  return Object.keys(formatLoaders).sort();
}

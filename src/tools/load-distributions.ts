import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TalariaError, usageError } from '../errors.js';
import { fileProblem } from '../file-problem.js';
import { didYouMean, nearestName } from '../text/nearest-name.js';
import type { Distribution } from './distribution.js';
import { parseDistribution } from './parse-distribution.js';

/**
 * The distribution of a name, or of a YAML file when `nameOrPath` has a slash or ends in .yaml or .yml (a relative path
 * counts from the directory of the process). Rejects with a usage error for an unknown name, which names the nearest one
 * and all, and with a `config` error for a file that cannot be used.
 */
export async function loadDistribution(nameOrPath: string): Promise<Distribution> {
  if (/[/\\]|\.ya?ml$/.test(nameOrPath)) {
    return readDistribution(nameOrPath);
  }
  const names = await builtInNames();
  if (!names.includes(nameOrPath)) {
    const end = didYouMean(nearestName(nameOrPath, names));
    throw usageError(
      `Unknown distribution "${nameOrPath}"${end} There are ${names.join(', ')}. A file of your own is given by its path, for example ./${nameOrPath}.yaml.`,
    );
  }
  return readDistribution(builtInPath(nameOrPath));
}

/** All built-in distributions, by name. */
export async function loadDistributions(): Promise<readonly Distribution[]> {
  return Promise.all((await builtInNames()).map((name) => readDistribution(builtInPath(name))));
}

async function readDistribution(path: string): Promise<Distribution> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new TalariaError({
      code: 'config',
      message: `The distribution ${path} cannot be read: ${fileProblem(thrown)}.`,
      cause: thrown,
    });
  }
  return parseDistribution(text, path);
}

async function builtInNames(): Promise<readonly string[]> {
  const files = await readdir(builtInFolder());
  return files
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length))
    .sort();
}

const extension = '.yaml';

function builtInPath(name: string): string {
  return join(builtInFolder(), `${name}${extension}`);
}

/** The package's own `configs/distributions`: two folders up from the source, three from the built file. */
function builtInFolder(): string {
  const folders = ['../..', '../../..'].map((up) =>
    fileURLToPath(new URL(`${up}/configs/distributions`, import.meta.url)),
  );
  const found = folders.find((folder) => existsSync(folder));
  if (found === undefined) {
    throw new TalariaError({
      code: 'internal',
      message: `The built-in distributions are missing from this installation: looked in ${folders.join(' and ')}.`,
    });
  }
  return found;
}

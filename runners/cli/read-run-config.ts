import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { usageError } from '../../src/errors.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { ParsedArguments } from './command.js';
import type { CommandContext } from './command-context.js';

/**
 * The configuration of `talaria run`: a file, a run directory (its run.yaml), or flags alone as the original batch
 * runner takes them.
 */
export async function readRunConfig(
  { positionals, flags, settings, apiKey }: ParsedArguments,
  { cwd, env, services }: CommandContext,
): Promise<ResolvedConfig> {
  const given = positionals[0] === '-' ? '/dev/stdin' : (positionals[0] ?? null);
  const input = {
    sets: flags.get('set') ?? [],
    env,
    cwd,
    apiKey,
    catalog: await services.catalog(),
  };
  if (given !== null && isDirectory(resolve(cwd, given))) {
    const file = join(resolve(cwd, given), 'run.yaml');
    if (!existsSync(file)) {
      throw usageError(
        `${given} is a folder without a run.yaml: give a configuration file or a run directory.`,
      );
    }
    const out = { flag: given, key: 'out', value: resolve(cwd, given) };
    return resolveConfig({ ...input, file, flags: [out, ...settings] });
  }
  if (given !== null && !existsSync(resolve(cwd, given))) {
    throw usageError(`There is no configuration file ${given}.`);
  }
  if (given !== null && /\.(jsonl|ndjson|csv|tsv|parquet|arrow|txt|gz|zst)$/i.test(given)) {
    throw usageError(
      `${given} is a data set and no configuration file. Give it with --dataset ${given}, and a model with --model; or name it in a YAML file as environment.path.`,
    );
  }
  return resolveConfig({ ...input, file: given, flags: settings });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

import { resolve } from 'node:path';
import type { ToolsetConfig } from '../../environments/rollout-config.js';
import { TalariaError, usageError } from '../../src/errors.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import type { ConfigCatalog } from './config-catalog.js';
import { optionTable } from './option-table.js';
import type { OptionValues } from './option-values.js';

const { distribution, enabled, samplePer } = optionTable.toolsets;

/** What a run offers when its configuration names neither a distribution nor toolsets. */
export const defaultToolsets: readonly string[] = ['terminal', 'file', 'todo'];

/** Fills in `toolsets:` and loads the distribution. Of the two that exclude each other the higher layer wins. */
export async function resolveToolsets(
  values: OptionValues,
  catalog: ConfigCatalog,
): Promise<ToolsetConfig> {
  const per = values.get(samplePer) ?? 'rollout';
  let table = values.get(distribution) ?? null;
  let list = values.get(enabled) ?? null;
  const tableAt = values.setting(distribution.key)?.origin;
  const listAt = values.setting(enabled.key)?.origin;
  if (table !== null && list !== null && tableAt !== undefined && listAt !== undefined) {
    if (tableAt.layer === listAt.layer) {
      throw usageError(
        `Give either \`toolsets.distribution\` (${tableAt.text}) or \`toolsets.enabled\` (${listAt.text}), not both.`,
      );
    }
    if (tableAt.layer > listAt.layer) {
      list = null;
    } else {
      table = null;
    }
  }
  if (table !== null) {
    const isPath = /[/\\]|\.ya?ml$/.test(table);
    const nameOrPath = isPath && tableAt !== undefined ? resolve(tableAt.directory, table) : table;
    values.put(distribution.key, nameOrPath);
    values.put(enabled.key, null);
    return {
      distribution: await catalog.loadDistribution(nameOrPath),
      enabled: null,
      samplePer: per,
    };
  }
  values.put(distribution.key, null);
  if (list !== null) {
    await refuseUnknown(list, listAt?.text ?? 'the configuration', catalog);
  }
  const names = list ?? defaultToolsets;
  values.put(enabled.key, names);
  return { distribution: null, enabled: names, samplePer: per };
}

async function refuseUnknown(
  names: readonly string[],
  where: string,
  catalog: ConfigCatalog,
): Promise<void> {
  const known = await catalog.toolsets();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TalariaError({
      code: 'config',
      message: `Unknown toolset "${unknown}" in ${where}${didYouMean(nearestName(unknown, known))} There are ${known.join(', ')}.`,
    });
  }
}

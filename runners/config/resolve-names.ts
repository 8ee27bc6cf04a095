import { resolve } from 'node:path';
import type { RewardConfig } from '../../rewards/reward-function.js';
import { TalariaError } from '../../src/errors.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import type { ConfigCatalog } from './config-catalog.js';
import { optionTable } from './option-table.js';
import type { OptionValues } from './option-values.js';

/** `rewards:`, with the paths of users' modules made absolute. */
export function resolveRewards(
  values: OptionValues,
  catalog: ConfigCatalog,
): readonly RewardConfig[] {
  const option = optionTable.top.rewards;
  const rewards = values.get(option) ?? [];
  const origin = values.setting('rewards')?.origin;
  if (origin === undefined) {
    return rewards;
  }
  const resolved = rewards.map((reward) => {
    if (/[/\\]|\.[cm]?js$|\.py$/.test(reward.use)) {
      return { ...reward, use: resolve(origin.directory, reward.use) };
    }
    if (!catalog.rewards.includes(reward.use)) {
      throw unknownName('reward', reward.use, catalog.rewards, origin.text);
    }
    return reward;
  });
  values.put('rewards', resolved);
  return resolved;
}

/** `export:`, each of which must be a format of this build. */
export async function resolveExports(
  values: OptionValues,
  catalog: ConfigCatalog,
): Promise<readonly string[]> {
  const option = optionTable.top.export;
  const names = values.get(option) ?? [];
  if (names.length > 0) {
    const known = await catalog.formats();
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const where = values.setting('export')?.origin.text ?? 'the configuration';
      throw unknownName('export format', unknown, known, where);
    }
  }
  return [...new Set(names)];
}

function unknownName(
  what: string,
  name: string,
  known: readonly string[],
  where: string,
): TalariaError {
  return new TalariaError({
    code: 'config',
    message: `Unknown ${what} "${name}" in ${where}${didYouMean(nearestName(name, known))} There are ${known.join(', ')}.`,
  });
}

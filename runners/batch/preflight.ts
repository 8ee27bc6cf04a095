import { loadRewards } from '../../rewards/load-rewards.js';
import { TalariaError } from '../../src/errors.js';
import { modelProviderOf } from '../../src/models/open-model.js';
import { resolveSandboxProvider } from '../../src/sandbox/resolve-sandbox.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import { loadToolCatalog, type ToolCatalog } from '../../src/tools/catalog.js';
import { checkDistribution } from '../../src/tools/check-distribution.js';
import type { ResolvedConfig } from '../config/resolved-config.js';

/**
 * Finds out before anything is written or paid whether the run can work at all. Rejects with a usage error; resolves to
 * warnings.
 */
export async function preflight(config: ResolvedConfig): Promise<readonly string[]> {
  const catalog = await loadToolCatalog();
  const missing = checkToolsets(config, catalog);
  if (needsSandbox(config, catalog)) {
    await checkSandbox(config);
  }
  await loadRewards(config.rewards);
  const provider = await modelProviderOf(config.model.use);
  await provider.preflight?.(config.model);
  return [
    ...(missing.length === 0
      ? []
      : [
          `The distribution ${config.toolsets.distribution?.name} names toolsets that this build does not have: ${missing.join(', ')}. They are left out, and each record lists those that it missed.`,
        ]),
    ...costWarnings(config, provider.offline),
  ];
}

/** A cap on costs that nobody can know does not stop anything: better said before the money is spent. */
function costWarnings({ run, model }: ResolvedConfig, offline: boolean): readonly string[] {
  return run.maxCostUsd === null || model.price !== null || offline
    ? []
    : [
        `run.max_cost_usd (${run.maxCostUsd}) stops nothing: costs are unknown without model.price. Set it in US dollars per million tokens, for example model.price: { prompt: 0.5, completion: 1.5 }.`,
      ];
}

/** Returns the toolsets that a distribution names in vain. */
function checkToolsets({ toolsets }: ResolvedConfig, catalog: ToolCatalog): readonly string[] {
  if (toolsets.distribution !== null) {
    return checkDistribution(toolsets.distribution, new Set(catalog.toolsets.keys()));
  }
  for (const name of toolsets.enabled ?? []) {
    if (!catalog.toolsets.has(name)) {
      const known = [...catalog.toolsets.keys()];
      throw new TalariaError({
        code: 'usage',
        message: `Unknown toolset "${name}" in toolsets.enabled${didYouMean(nearestName(name, known))} There are ${known.join(', ')}.`,
      });
    }
  }
  return [];
}

/** Whether a rollout without an image of its own may need a sandbox. */
function needsSandbox({ toolsets }: ResolvedConfig, catalog: ToolCatalog): boolean {
  const names = toolsets.enabled ?? toolsets.distribution?.toolsets.map(([name]) => name) ?? [];
  return names.some((name) => catalog.toolsets.get(name)?.some((tool) => tool.needsSandbox));
}

async function checkSandbox({ sandbox }: ResolvedConfig): Promise<void> {
  try {
    const provider = await resolveSandboxProvider(sandbox, sandbox.image);
    if (sandbox.image !== null) {
      await provider.prepare?.(sandbox.image);
    }
  } catch (thrown) {
    if (TalariaError.isInstance(thrown)) {
      throw new TalariaError({ code: 'usage', message: thrown.message, cause: thrown });
    }
    throw thrown;
  }
}

import { environmentKindLoaders } from '../../environments/kinds/index.generated.js';
import { rewardLoaders } from '../../rewards/builtin/index.generated.js';
import { modelProviderLoaders } from '../../src/models/providers/index.generated.js';
import type { ConfigCatalog } from './config-catalog.js';

/** What this build has. Tools and formats are loaded only when a configuration names some. */
export const builtInCatalog: ConfigCatalog = {
  providers: Object.keys(modelProviderLoaders),
  environmentKinds: Object.keys(environmentKindLoaders),
  rewards: Object.keys(rewardLoaders),
  async formats() {
    return (await import('../../datasets/load-format.js')).formatNames();
  },
  async toolsets() {
    const { loadToolCatalog } = await import('../../src/tools/catalog.js');
    return [...(await loadToolCatalog()).toolsets.keys()];
  },
  async loadDistribution(nameOrPath) {
    return (await import('../../src/tools/load-distributions.js')).loadDistribution(nameOrPath);
  },
};

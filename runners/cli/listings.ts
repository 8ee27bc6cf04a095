/** One line of `talaria list`. */
export interface ListedItem {
  readonly name: string;
  /** What belongs to it: the toolset of a tool, the tools of a toolset, the odds of a distribution. */
  readonly details: string;
  readonly description: string;
}

interface Described {
  readonly name?: string;
  readonly kind?: string;
  readonly description: string;
}

/** What can be listed, and how it is found. */
export const listings: { readonly [what: string]: () => Promise<readonly ListedItem[]> } = {
  async tools() {
    const { loadToolCatalog } = await import('../../src/tools/catalog.js');
    return [...(await loadToolCatalog()).tools.values()].map(({ name, toolset, description }) => ({
      name,
      details: toolset,
      description,
    }));
  },
  async toolsets() {
    const { loadToolCatalog } = await import('../../src/tools/catalog.js');
    return [...(await loadToolCatalog()).toolsets].map(([name, tools]) => ({
      name,
      details: '',
      description: tools.map((tool) => tool.name).join(', '),
    }));
  },
  async distributions() {
    const { loadDistributions } = await import('../../src/tools/load-distributions.js');
    return (await loadDistributions()).map(({ name, description, toolsets }) => ({
      name,
      details: toolsets.map(([toolset, percent]) => `${toolset} ${percent}`).join(', '),
      description,
    }));
  },
  async models() {
    const { modelProviderLoaders } = await import('../../src/models/providers/index.generated.js');
    return describe(modelProviderLoaders);
  },
  async environments() {
    const { environmentKindLoaders } = await import('../../environments/kinds/index.generated.js');
    return describe(environmentKindLoaders);
  },
  async rewards() {
    const { rewardLoaders } = await import('../../rewards/builtin/index.generated.js');
    return describe(rewardLoaders);
  },
  async formats() {
    const { formatNames, loadFormat } = await import('../../datasets/load-format.js');
    const formats = await Promise.all(formatNames().map(loadFormat));
    return formats.map(({ name, description, losses }) => ({
      name,
      details: '',
      description: losses.length === 0 ? description : `${description}. Lost: ${losses.join('; ')}`,
    }));
  },
};

async function describe(loaders: {
  readonly [name: string]: () => Promise<Described>;
}): Promise<readonly ListedItem[]> {
  return Promise.all(
    Object.entries(loaders).map(async ([name, load]) => ({
      name,
      details: '',
      description: (await load()).description,
    })),
  );
}

import { deriveSeed, seededRandom } from '../src/random.js';
import type { ToolCatalog } from '../src/tools/catalog.js';
import { sampleToolsets } from '../src/tools/sample-toolsets.js';
import type { Tool, ToolSchema } from '../src/tools/tool.js';
import type { ToolsetConfig } from './rollout-config.js';
import { RolloutStop } from './rollout-stop.js';

export interface ToolOfferInput {
  readonly catalog: ToolCatalog;
  readonly config: ToolsetConfig;
  /** Tools of the model that are offered whatever was drawn. */
  readonly required: readonly string[];
  readonly runSeed: number;
  readonly taskKey: string;
  readonly sample: number;
}

/** The tools of one rollout. */
export interface ToolOffer {
  readonly toolsets: readonly string[];
  /** Drawn or enabled, but not in this build. */
  readonly skipped: readonly string[];
  readonly tools: readonly Tool[];
  /** The same tools, as the model is told of them. */
  readonly schemas: readonly ToolSchema[];
}

/**
 * Draws the toolsets of a rollout and lists their tools. The draw depends on run seed, task and sample alone, so order,
 * attempts and resumption do not change it; with `samplePer: task` not on the sample either.
 */
export function offerTools(input: ToolOfferInput): ToolOffer {
  const { catalog } = input;
  const { toolsets, skipped } = chooseToolsets(input);
  const tools = new Map<string, Tool>();
  for (const toolset of toolsets) {
    for (const tool of catalog.toolsets.get(toolset) ?? []) {
      tools.set(tool.name, tool);
    }
  }
  for (const name of input.required) {
    const tool = catalog.tools.get(name);
    if (tool === undefined) {
      throw RolloutStop.environment(
        `The model calls the tool ${name}, which cannot be offered here. See \`talaria list tools\`.`,
      );
    }
    tools.set(name, tool);
  }
  return {
    toolsets,
    skipped,
    tools: [...tools.values()],
    schemas: schemasOf(catalog, [...tools.keys()]),
  };
}

function chooseToolsets({ catalog, config, runSeed, taskKey, sample }: ToolOfferInput): {
  readonly toolsets: readonly string[];
  readonly skipped: readonly string[];
} {
  const known = new Set(catalog.toolsets.keys());
  if (config.distribution !== null) {
    const drawnFor = config.samplePer === 'task' ? 0 : sample;
    const random = seededRandom(deriveSeed(runSeed, taskKey, drawnFor, 'toolsets'));
    return sampleToolsets({ distribution: config.distribution, known, random });
  }
  const enabled = [...new Set(config.enabled ?? [])];
  return {
    toolsets: enabled.filter((toolset) => known.has(toolset)),
    skipped: enabled.filter((toolset) => !known.has(toolset)),
  };
}

const offers = new WeakMap<ToolCatalog, Map<string, readonly ToolSchema[]>>();

/** The same list for the same tools, so that who writes it down for a model does that once and not for each rollout. */
function schemasOf(catalog: ToolCatalog, names: readonly string[]): readonly ToolSchema[] {
  const known = offers.get(catalog) ?? new Map<string, readonly ToolSchema[]>();
  offers.set(catalog, known);
  const key = names.join(' ');
  const schemas = known.get(key) ?? names.map((name) => schemaOf(catalog, name));
  known.set(key, schemas);
  return schemas;
}

function schemaOf(catalog: ToolCatalog, name: string): ToolSchema {
  const schema = catalog.schemas.get(name);
  if (schema === undefined) {
    throw RolloutStop.internal(`The tool ${name} has no schema.`);
  }
  return schema;
}

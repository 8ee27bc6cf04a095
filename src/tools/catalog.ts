import { messageOf } from '../errors.js';
import { buildToolCatalog } from './build-tool-catalog.js';
import { toolLoaders } from './builtin/index.generated.js';
import type { Tool, ToolSchema } from './tool.js';

/** Every tool of this build that can be offered here. Loaded once per thread, then never changed. */
export interface ToolCatalog {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Toolset name to its tools. */
  readonly toolsets: ReadonlyMap<string, readonly Tool[]>;
  /** Tool name to what the model is told of it: converted once, deeply frozen, shared by all rollouts. */
  readonly schemas: ReadonlyMap<string, ToolSchema>;
  /** Tools of this build that cannot be offered here, and why. Absent: none. */
  readonly unavailable?: ReadonlyMap<string, string>;
}

/** Tool name to what imports the tool. */
export interface ToolLoaders {
  readonly [name: string]: () => Promise<Tool>;
}

/**
 * Loads the built-in tools and leaves out those that say they cannot work here; a check that throws says so too.
 * Rejects when a file's tool has another name than its file, or a name that is taken.
 */
export async function loadToolCatalog(loaders: ToolLoaders = toolLoaders): Promise<ToolCatalog> {
  const loaded = await Promise.all(
    Object.entries(loaders).map(async ([name, load]) => {
      const tool = await load();
      if (tool.name !== name) {
        throw new TypeError(`The file of tool "${name}" exports a tool named "${tool.name}".`);
      }
      return { tool, reason: await unavailableReason(tool) };
    }),
  );
  const unavailable = new Map<string, string>();
  const tools: Tool[] = [];
  for (const { tool, reason } of loaded) {
    if (reason === null) {
      tools.push(tool);
    } else {
      unavailable.set(tool.name, reason);
    }
  }
  return buildToolCatalog(tools, unavailable);
}

async function unavailableReason(tool: Tool): Promise<string | null> {
  try {
    return (await tool.unavailable?.()) ?? null;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

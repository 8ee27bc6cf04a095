import { TalariaError } from '../errors.js';
import type { ToolCatalog } from './catalog.js';
import type { Tool, ToolSchema } from './tool.js';
import { toolSchema } from './tool-schema.js';

/** The catalog of the given tools, in their order. Throws when two of them have one name. */
export function buildToolCatalog(
  given: Iterable<Tool>,
  unavailable: ReadonlyMap<string, string> = new Map(),
): ToolCatalog {
  const tools = new Map<string, Tool>();
  const toolsets = new Map<string, Tool[]>();
  const schemas = new Map<string, ToolSchema>();
  for (const tool of given) {
    const other = tools.get(tool.name);
    if (other !== undefined) {
      throw new TalariaError({
        code: 'config',
        message: `Two tools are named "${tool.name}", in the toolsets "${other.toolset}" and "${tool.toolset}". Rename one of them.`,
      });
    }
    tools.set(tool.name, tool);
    toolsets.set(tool.toolset, [...(toolsets.get(tool.toolset) ?? []), tool]);
    schemas.set(tool.name, toolSchema(tool));
  }
  return { tools, toolsets, schemas, unavailable };
}

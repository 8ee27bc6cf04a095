import type { Tool } from './tool.js';

/** Every tool of this build that can be offered here. Loaded once per thread, then never changed. */
export interface ToolCatalog {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Toolset name to its tools. */
  readonly toolsets: ReadonlyMap<string, readonly Tool[]>;
}

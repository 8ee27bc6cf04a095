import type { ToolStat } from '../src/rollout/record.js';
import { hermesToolNames } from './hermes-tool-names.js';

/** The tool statistics of a Hermes row: the same keys in the same order in every row. */
export interface HermesToolColumns {
  readonly tool_stats: { readonly [tool: string]: ToolStat };
  readonly tool_error_counts: { readonly [tool: string]: number };
  /**
   * The tools without a column, by name: JSON text of a list of `{tool, count, success, failure}`. Text, since a list that
   * is empty for the first 10 MB of a file gives Arrow no type, and the first entry after that fails the load.
   */
  readonly other_tool_stats: string;
}

export function hermesToolColumns(stats: { readonly [tool: string]: ToolStat }): HermesToolColumns {
  const columns: Record<string, ToolStat> = {};
  const errors: Record<string, number> = {};
  for (const name of hermesToolNames) {
    const { count, success, failure } = stats[name] ?? none;
    columns[name] = { count, success, failure };
    errors[name] = failure;
  }
  const others = Object.keys(stats)
    .filter((name) => !Object.hasOwn(columns, name))
    .sort()
    .map((tool) => {
      const { count, success, failure } = stats[tool] ?? none;
      return { tool, count, success, failure };
    });
  return {
    tool_stats: columns,
    tool_error_counts: errors,
    other_tool_stats: JSON.stringify(others),
  };
}

const none: ToolStat = { count: 0, success: 0, failure: 0 };

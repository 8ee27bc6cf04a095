import type { Distribution } from './distribution.js';
import { fallbackToolset } from './fallback-toolset.js';

/**
 * For the start of a run: throws a usage error when no toolset that the distribution can draw exists in this build.
 * Returns the toolsets that it names and that do not exist, which is worth a warning.
 */
export function checkDistribution(
  distribution: Distribution,
  known: ReadonlySet<string>,
): readonly string[] {
  fallbackToolset(distribution, known);
  return distribution.toolsets.map(([toolset]) => toolset).filter((toolset) => !known.has(toolset));
}

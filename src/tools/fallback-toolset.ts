import { usageError } from '../errors.js';
import type { Distribution } from './distribution.js';

/**
 * What a rollout gets when its draw came out empty: the existing toolset with the highest probability above 0, the first of
 * equal ones. Throws a usage error when no toolset that the distribution can draw exists in this build.
 */
export function fallbackToolset(
  { name, toolsets }: Distribution,
  known: ReadonlySet<string>,
): string {
  let best: string | null = null;
  let bestPercent = 0;
  for (const [toolset, percent] of toolsets) {
    if (known.has(toolset) && percent > bestPercent) {
      best = toolset;
      bestPercent = percent;
    }
  }
  if (best === null) {
    const named = toolsets.map(([toolset]) => toolset).join(', ');
    throw usageError(
      `No toolset of the distribution "${name}" exists in this build (it draws from: ${named}). Toolsets here: ${[...known].join(', ') || 'none'}. Choose another distribution, or name toolsets with toolsets.enabled.`,
    );
  }
  return best;
}

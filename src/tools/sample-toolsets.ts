import type { Random } from '../random.js';
import type { Distribution } from './distribution.js';
import { fallbackToolset } from './fallback-toolset.js';

export interface ToolsetDraw {
  readonly distribution: Distribution;
  /** Toolsets that exist in this build. */
  readonly known: ReadonlySet<string>;
  readonly random: Random;
}

export interface SampledToolsets {
  /** Never empty; in the order of the distribution. */
  readonly toolsets: readonly string[];
  /** Drawn, but not in this build. */
  readonly skipped: readonly string[];
}

/**
 * Draws the toolsets of one rollout: one independent flip for each, in the order of the distribution. One flip is
 * spent on a toolset that does not exist too, so that the same seed draws the same others once it does. When nothing
 * that exists was drawn, the existing toolset with the highest probability is taken. Throws the usage error of
 * {@link fallbackToolset} when there is none.
 */
export function sampleToolsets({ distribution, known, random }: ToolsetDraw): SampledToolsets {
  const drawn = distribution.toolsets
    .filter(([, percent]) => random() * 100 < percent)
    .map(([toolset]) => toolset);
  const toolsets = drawn.filter((toolset) => known.has(toolset));
  const skipped = drawn.filter((toolset) => !known.has(toolset));
  return {
    toolsets: toolsets.length > 0 ? toolsets : [fallbackToolset(distribution, known)],
    skipped,
  };
}

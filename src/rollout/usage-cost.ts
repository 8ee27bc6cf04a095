import type { Usage } from '../models/model.js';
import type { ModelPrice } from '../models/model-provider.js';

/** What so many tokens cost, in US dollars: cached ones at their own price. */
export function usageCost(
  usage: Pick<Usage, 'prompt_tokens' | 'cached_tokens' | 'completion_tokens'>,
  price: ModelPrice,
): number {
  const cached = Math.min(usage.cached_tokens, usage.prompt_tokens);
  const dollarsPerMillion =
    (usage.prompt_tokens - cached) * price.prompt +
    cached * price.cached +
    usage.completion_tokens * price.completion;
  return dollarsPerMillion / 1_000_000;
}

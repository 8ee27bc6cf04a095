import type { RolloutEventBody } from '../../src/rollout/event.js';

/** Sums over the events of a lane since it last reported: what the progress display and the cost cap need of them. */
export interface Metered {
  /** Replies that were paid for in this start. */
  readonly modelCalls: number;
  readonly promptTokens: number;
  /** Of the prompt tokens. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly retries: number;
}

export const nothingMetered: Metered = {
  modelCalls: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  retries: 0,
};

/** The sums with one more event. */
export function withEvent(sums: Metered, event: RolloutEventBody): Metered {
  if (event.type === 'model-call-end' && event.ok && !event.replayed) {
    return {
      modelCalls: sums.modelCalls + 1,
      promptTokens: sums.promptTokens + event.prompt_tokens,
      cachedTokens: sums.cachedTokens + Math.min(event.cached_tokens, event.prompt_tokens),
      completionTokens: sums.completionTokens + event.completion_tokens,
      retries: sums.retries,
    };
  }
  return event.type === 'retry-start' ? { ...sums, retries: sums.retries + 1 } : sums;
}

import type { Usage } from '../models/model.js';

const counts = ['prompt_tokens', 'completion_tokens', 'cached_tokens', 'reasoning_tokens'] as const;

/** Adds up what the calls of one agent used. One estimate makes the sum an estimate. */
export class UsageTotal {
  readonly #sum = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 };
  #source: Usage['source'] = 'server';

  add(usage: Usage): void {
    for (const count of counts) {
      this.#sum[count] += usage[count];
    }
    if (usage.source === 'estimate') {
      this.#source = 'estimate';
    }
  }

  /** Prompt and completion tokens of all calls. */
  get tokens(): number {
    return this.#sum.prompt_tokens + this.#sum.completion_tokens;
  }

  toUsage(): Usage {
    return { ...this.#sum, source: this.#source };
  }
}

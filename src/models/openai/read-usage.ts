import { isJsonObject, type JsonObject } from '../../json.js';
import { tokenCount } from '../../tokens/token-count.js';
import type { Usage } from '../model.js';

/**
 * The usage of an answer, in the names of OpenAI and of those who differ (DeepSeek's cache fields, a `reasoning_tokens`
 * beside the totals). Null when it is missing, or says that nothing was read and nothing was written.
 */
export function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const prompt = tokenCount(value['prompt_tokens']);
  const completion = tokenCount(value['completion_tokens']);
  if (prompt === null || completion === null || prompt + completion === 0) {
    return null;
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    cached_tokens:
      detail(value, 'prompt_tokens_details', 'cached_tokens') ??
      tokenCount(value['prompt_cache_hit_tokens']) ??
      0,
    reasoning_tokens:
      detail(value, 'completion_tokens_details', 'reasoning_tokens') ??
      tokenCount(value['reasoning_tokens']) ??
      0,
    source: 'server',
  };
}

function detail(usage: JsonObject, group: string, name: string): number | null {
  const details = usage[group];
  return isJsonObject(details) ? tokenCount(details[name]) : null;
}

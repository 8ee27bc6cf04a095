import { isJsonObject, type JsonObject } from '../../json.js';
import type { ReplyTokens } from '../model.js';

/**
 * Token ids and log probabilities of an answer, where the engine gives them: vLLM with `return_token_ids`
 * (`prompt_token_ids`, `token_ids`) or `return_tokens_as_token_ids` (`token_id:N` in the log probabilities).
 * Log probabilities that do not match the ids one to one are left out: half of them would be worse than none.
 */
export function readTokens(body: JsonObject, choice: JsonObject): ReplyTokens | undefined {
  const logprobs = choice['logprobs'];
  const entries =
    isJsonObject(logprobs) && Array.isArray(logprobs['content']) ? logprobs['content'] : [];
  const completionIds = idsOf(choice['token_ids']) ?? idsOf(entries.map(idInText));
  if (completionIds === null || completionIds.length === 0) {
    return undefined;
  }
  const values = entries.map((entry: unknown) => (isJsonObject(entry) ? entry['logprob'] : null));
  const usable =
    values.length === completionIds.length &&
    values.every((value: unknown) => typeof value === 'number' && Number.isFinite(value));
  return {
    prompt_ids: idsOf(body['prompt_token_ids']) ?? idsOf(choice['prompt_token_ids']) ?? [],
    completion_ids: completionIds,
    completion_logprobs: usable ? (values as number[]) : [],
  };
}

function idsOf(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every((id) => Number.isSafeInteger(id) && id >= 0)
    ? (value as number[])
    : null;
}

function idInText(entry: unknown): number | null {
  const token = isJsonObject(entry) ? entry['token'] : null;
  const id = typeof token === 'string' ? /^token_id:(\d+)$/.exec(token)?.[1] : undefined;
  return id === undefined ? null : Number(id);
}

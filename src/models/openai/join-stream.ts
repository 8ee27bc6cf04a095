import { isJsonObject, type Json, type JsonObject } from '../../json.js';

/** A whole `chat.completion`, or null when the stream ended before the model did. */
export type JoinedStream = JsonObject | null;

/**
 * Puts the chunks of a streamed answer together into the object that a plain answer would have been. Calls are merged
 * by index; a name or an id is taken once, since some servers repeat them in every chunk.
 */
export async function joinStream(chunks: AsyncIterable<unknown>): Promise<JoinedStream> {
  const joined = new StreamedCompletion();
  for await (const chunk of chunks) {
    if (isJsonObject(chunk)) {
      joined.add(chunk);
    }
  }
  return joined.result();
}

class StreamedCompletion {
  readonly #texts: Record<string, string> = {};
  readonly #details: Json[] = [];
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  readonly #tokenIds: Json[] = [];
  readonly #logprobs: Json[] = [];
  #body: Record<string, Json> = {};
  #finishReason: Json | undefined;
  #error: Json | undefined;

  add(chunk: JsonObject): void {
    for (const field of ['model', 'usage', 'prompt_token_ids', 'error']) {
      const value = chunk[field];
      if (value !== undefined && value !== null) {
        this.#body[field] = value;
      }
    }
    const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
    if (!isJsonObject(choice)) {
      return;
    }
    this.#finishReason = choice['finish_reason'] ?? this.#finishReason;
    this.#error = choice['error'] ?? this.#error;
    this.#tokenIds.push(...listOf(choice['token_ids']));
    const logprobs = choice['logprobs'];
    this.#logprobs.push(...(isJsonObject(logprobs) ? listOf(logprobs['content']) : []));
    if (isJsonObject(choice['delta'])) {
      this.#addDelta(choice['delta']);
    }
  }

  result(): JoinedStream {
    if (this.#finishReason === undefined && this.#body['error'] === undefined) {
      return null;
    }
    const calls = [...this.#calls.entries()].sort(([a], [b]) => a - b);
    const message: Record<string, Json> = { role: 'assistant', content: null, ...this.#texts };
    if (this.#details.length > 0) {
      message['reasoning_details'] = this.#details;
    }
    message['tool_calls'] = calls.map(([, { id, name, arguments: text }]) => ({
      id,
      function: { name, arguments: text },
    }));
    const choice: Record<string, Json> = { message, finish_reason: this.#finishReason ?? null };
    if (this.#error !== undefined) {
      choice['error'] = this.#error;
    }
    if (this.#tokenIds.length > 0) {
      choice['token_ids'] = this.#tokenIds;
    }
    if (this.#logprobs.length > 0) {
      choice['logprobs'] = { content: this.#logprobs };
    }
    return { ...this.#body, choices: [choice] };
  }

  #addDelta(delta: JsonObject): void {
    for (const field of ['content', 'reasoning_content', 'reasoning', 'refusal']) {
      const text = delta[field];
      if (typeof text === 'string') {
        this.#texts[field] = (this.#texts[field] ?? '') + text;
      }
    }
    this.#details.push(...listOf(delta['reasoning_details']));
    for (const [position, call] of listOf(delta['tool_calls']).entries()) {
      if (isJsonObject(call)) {
        this.#addCall(call, position);
      }
    }
  }

  #addCall(call: JsonObject, position: number): void {
    const index = typeof call['index'] === 'number' ? call['index'] : this.#indexOf(call, position);
    const known = this.#calls.get(index) ?? { id: '', name: '', arguments: '' };
    const declared = isJsonObject(call['function']) ? call['function'] : {};
    const given = declared['arguments'];
    this.#calls.set(index, {
      id: known.id || stringOf(call['id']),
      name: known.name || stringOf(declared['name']),
      arguments: known.arguments + (isJsonObject(given) ? JSON.stringify(given) : stringOf(given)),
    });
  }

  /** Without an index: the call with this id, else the last one, else a new one. */
  #indexOf(call: JsonObject, position: number): number {
    const id = stringOf(call['id']);
    if (id === '') {
      return Math.max(position, this.#calls.size - 1);
    }
    for (const [index, known] of this.#calls) {
      if (known.id === id) {
        return index;
      }
    }
    return this.#calls.size;
  }
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function stringOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

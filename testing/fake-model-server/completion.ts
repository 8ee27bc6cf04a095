import type { JsonObject } from '../../src/json.js';
import { fakeTokens } from './fake-tokens.js';
import type { FakeModelReply, FakeModelRequest, FakeToolCall } from './script.js';

/** A `chat.completion` object, in the parts that both a plain and a streamed answer are made of. */
export interface FakeCompletion {
  readonly id: string;
  readonly model: string;
  readonly message: { readonly [field: string]: unknown };
  readonly finishReason: string;
  readonly usage: JsonObject | null;
  /** Fields of the choice and of the body, where token ids or log probabilities were asked for. */
  readonly choiceExtra: { readonly [field: string]: unknown };
  readonly bodyExtra: { readonly [field: string]: unknown };
}

/** Puts a scripted reply into the shape of the protocol. `requestBytes` is what the usage is made up from. */
export function completionOf(
  request: FakeModelRequest,
  reply: FakeModelReply,
  requestBytes: number,
): FakeCompletion {
  const toolCalls = reply.toolCalls ?? [];
  const message: Record<string, unknown> = {
    role: 'assistant',
    content: contentOf(reply),
    ...reasoningOf(reply),
  };
  if (toolCalls.length > 0) {
    message['tool_calls'] = toolCalls.map((call, index) => wireCall(call, request, index));
  }
  const tokens =
    request.body?.['return_token_ids'] === true || request.body?.['logprobs'] === true
      ? fakeTokens(request, reply)
      : null;
  const withIds = request.body?.['return_token_ids'] === true;
  return {
    id: `chatcmpl-${request.assistantTurns}`,
    model: reply.model ?? request.model,
    message,
    finishReason: reply.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: reply.usage === undefined ? usageOf(message, requestBytes) : reply.usage,
    choiceExtra: {
      ...(tokens !== null && withIds ? { token_ids: tokens.completionIds } : {}),
      ...(tokens !== null && request.body?.['logprobs'] === true
        ? { logprobs: { content: tokens.logprobs.map((logprob) => ({ token: 'x', logprob })) } }
        : {}),
    },
    bodyExtra: tokens !== null && withIds ? { prompt_token_ids: tokens.promptIds } : {},
  };
}

/** The body of a plain answer. */
export function completionBody(completion: FakeCompletion): { [field: string]: unknown } {
  return {
    id: completion.id,
    object: 'chat.completion',
    created: 0,
    model: completion.model,
    choices: [
      {
        index: 0,
        message: completion.message,
        finish_reason: completion.finishReason,
        ...completion.choiceExtra,
      },
    ],
    ...(completion.usage === null ? {} : { usage: completion.usage }),
    ...completion.bodyExtra,
  };
}

function contentOf({ content = null, reasoning, reasoningField }: FakeModelReply): string | null {
  return reasoning !== undefined && reasoningField === 'think'
    ? `<think>\n${reasoning}\n</think>\n\n${content ?? ''}`
    : content;
}

function reasoningOf({ reasoning, reasoningField }: FakeModelReply): Record<string, unknown> {
  if (reasoning === undefined || reasoningField === 'think') {
    return {};
  }
  return reasoningField === 'reasoning_details'
    ? { reasoning_details: [{ type: 'reasoning.text', text: reasoning }] }
    : { [reasoningField ?? 'reasoning_content']: reasoning };
}

function wireCall(call: FakeToolCall, request: FakeModelRequest, index: number): object {
  const id = call.id === undefined ? `call_${request.assistantTurns}_${index}` : call.id;
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return {
    ...(id === null ? {} : { id }),
    type: 'function',
    function: { name: call.name, arguments: text },
  };
}

function usageOf(message: object, requestBytes: number): JsonObject {
  const prompt = Math.ceil(requestBytes / 4);
  const completion = Math.ceil(JSON.stringify(message).length / 4);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

import type { AssistantMessage, FinishReason, ToolCall } from '../messages/message.js';
import { parseToolArguments } from '../messages/parse-tool-arguments.js';
import { splitReasoning } from '../messages/split-reasoning.js';
import type { ModelReply, ModelToolCall, ReplyTokens, Usage } from '../models/model.js';
import { tokenCount } from '../tokens/token-count.js';

/** A reply as the loop stores it. */
export interface ReadReply {
  readonly message: AssistantMessage;
  readonly usage: Usage;
  readonly tokens: ReplyTokens | null;
  readonly retries: number;
  readonly replayed: boolean;
}

/** Where a reply stands in its trajectory. */
export interface ReplyPlace {
  /** 1-based turn. */
  readonly turn: number;
  /** `provider:model` that was asked, for replies that do not say who answered. */
  readonly model: string;
  /** Ids of all calls before; those of this reply are added. */
  readonly ids: Set<string>;
  readonly summary: boolean;
}

const finishReasons: readonly FinishReason[] = ['stop', 'tool_calls', 'length', 'content_filter'];

/**
 * Turns a model's reply into the message that is stored. Models may be user code and servers lie, so nothing is taken
 * on trust: what has the wrong type reads as absent, text becomes well-formed Unicode, and calls get ids that are
 * unique in the trajectory. Tool names stay as the model gave them. Never throws for a reply that is an object.
 */
export function readReply(
  reply: Partial<ModelReply>,
  { turn, model, ids, summary }: ReplyPlace,
): ReadReply {
  const split = splitReasoning(textOf(reply.content));
  const calls: readonly ModelToolCall[] = Array.isArray(reply.tool_calls) ? reply.tool_calls : [];
  const message: AssistantMessage = {
    role: 'assistant',
    content: split.content,
    reasoning: joinReasoning(textOf(reply.reasoning), split.reasoning),
    tool_calls: calls.map((call, index) => readCall(call, `call_${turn}_${index + 1}`, ids)),
    finish_reason: readFinishReason(reply.finish_reason),
    model: textOf(reply.model) || model,
    ...(reply.provider_state === undefined ? {} : { provider_state: reply.provider_state }),
    ...(summary ? { summary } : {}),
  };
  return {
    message,
    usage: readUsage(reply.usage),
    tokens: reply.tokens ?? null,
    retries: countOf(reply.retries),
    replayed: reply.replayed === true,
  };
}

/** Some servers give the same reasoning in its field and in the text. */
function joinReasoning(field: string, inContent: string | null): string | null {
  if (field.trim() === '') {
    return inContent;
  }
  return inContent === null || inContent === field.trim() ? field : `${field}\n\n${inContent}`;
}

function readFinishReason(given: unknown): FinishReason {
  return finishReasons.find((known) => known === given) ?? 'unknown';
}

function readCall(call: ModelToolCall | null, spareId: string, ids: Set<string>): ToolCall {
  const text = textOf(call?.arguments);
  const parsed = parseToolArguments(text);
  const given = textOf(call?.id);
  const id = given === '' || ids.has(given) ? unusedId(spareId, ids) : given;
  ids.add(id);
  return {
    id,
    name: textOf(call?.name),
    arguments: text,
    ...(parsed.ok ? {} : { parse_error: parsed.error }),
  };
}

/** A model may have used the very id that would be made for it. */
function unusedId(base: string, ids: ReadonlySet<string>): string {
  let id = base;
  for (let number = 2; ids.has(id); number += 1) {
    id = `${base}_${number}`;
  }
  return id;
}

function readUsage(usage: Usage | undefined): Usage {
  return {
    prompt_tokens: tokenCount(usage?.prompt_tokens) ?? 0,
    completion_tokens: tokenCount(usage?.completion_tokens) ?? 0,
    cached_tokens: tokenCount(usage?.cached_tokens) ?? 0,
    reasoning_tokens: tokenCount(usage?.reasoning_tokens) ?? 0,
    source: usage?.source === 'server' ? 'server' : 'estimate',
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

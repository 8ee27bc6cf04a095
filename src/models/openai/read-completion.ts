import { isJsonObject, type Json, type JsonObject } from '../../json.js';
import type { FinishReason } from '../../messages/message.js';
import { splitReasoning } from '../../messages/split-reasoning.js';
import type { ModelReply, ModelToolCall, Usage } from '../model.js';
import { readTokens } from './read-tokens.js';
import { readUsage } from './read-usage.js';
import { replaysReasoning } from './wire-message.js';

/** A reply without what only the caller knows. The usage is null when the server gave none. */
export type CompletionReply = Omit<ModelReply, 'usage' | 'seconds' | 'retries'> & {
  readonly usage: Usage | null;
};

export type ReadCompletion =
  | { readonly ok: true; readonly reply: CompletionReply }
  /** Not a completion: `problem` says what is wrong, `error` is the error object where there is one. */
  | { readonly ok: false; readonly problem: string; readonly error: JsonObject | null };

/** Reads a `chat.completion` object. Nothing of it is taken on trust. `asked` is the model that was asked for. */
export function readCompletion(body: unknown, asked: string): ReadCompletion {
  if (!isJsonObject(body)) {
    return broken('the answer is not a JSON object');
  }
  const choice = Array.isArray(body['choices']) ? body['choices'][0] : undefined;
  if (isTruthyError(body['error'])) {
    return { ok: false, problem: 'an error inside an answer with status 200', error: body };
  }
  if (!isJsonObject(choice)) {
    return broken('the answer has no choices');
  }
  if (isTruthyError(choice['error'])) {
    return { ok: false, problem: 'the model broke off', error: choice };
  }
  const message = choice['message'];
  if (!isJsonObject(message)) {
    return broken('the answer has no message');
  }
  const stated = textOf(choice['finish_reason']).toLowerCase();
  if (stated === 'abort' || stated === 'error') {
    return broken(`the server ended the generation (finish_reason ${stated})`);
  }
  const toolCalls = readCalls(message);
  const tokens = readTokens(body, choice);
  return {
    ok: true,
    reply: {
      ...readText(message),
      tool_calls: toolCalls,
      finish_reason: foldFinish(stated, toolCalls.length > 0),
      usage: readUsage(body['usage']),
      model: textOf(body['model']) || asked,
      ...(tokens === undefined ? {} : { tokens }),
    },
  };
}

function broken(problem: string): ReadCompletion {
  return { ok: false, problem, error: null };
}

function isTruthyError(error: unknown): boolean {
  return isJsonObject(error) || (typeof error === 'string' && error !== '');
}

/** Text and reasoning: from a field of its own, else from tags in the text. */
function readText(
  message: JsonObject,
): Pick<ModelReply, 'content' | 'reasoning' | 'provider_state'> {
  const content = contentOf(message['content']) || textOf(message['refusal']);
  const field = message['reasoning_content'];
  if (typeof field === 'string') {
    const reasoning = textOf(field);
    if (reasoning !== '') {
      return { content, reasoning, provider_state: replaysReasoning };
    }
    return { ...splitReasoning(content), provider_state: replaysReasoning };
  }
  const reasoning = textOf(message['reasoning']) || firstDetail(message['reasoning_details']);
  return reasoning === '' ? splitReasoning(content) : { content, reasoning };
}

/** Text, or a list of parts with text. */
function contentOf(content: unknown): string {
  if (!Array.isArray(content)) {
    return textOf(content);
  }
  return content.map((part: unknown) => (isJsonObject(part) ? textOf(part['text']) : '')).join('');
}

function firstDetail(details: unknown): string {
  for (const entry of Array.isArray(details) ? details : []) {
    const text = isJsonObject(entry) ? textOf(entry['text']) || textOf(entry['summary']) : '';
    if (text !== '') {
      return text;
    }
  }
  return '';
}

function readCalls(message: JsonObject): readonly ModelToolCall[] {
  const calls = message['tool_calls'];
  if (Array.isArray(calls) && calls.length > 0) {
    return calls.filter(isJsonObject).map((call) => readCall(call, call['function']));
  }
  const legacy = message['function_call'];
  return isJsonObject(legacy) ? [readCall({}, legacy)] : [];
}

function readCall(call: JsonObject, declared: Json | undefined): ModelToolCall {
  const { name, arguments: given } = isJsonObject(declared) ? declared : {};
  const id = textOf(call['id']);
  return {
    id: id === '' ? null : id,
    name: textOf(name),
    arguments: argumentsOf(given),
  };
}

/** Text as it was written. Some servers send the object itself, and none for a tool without parameters. */
function argumentsOf(given: Json | undefined): string {
  if (typeof given === 'string') {
    return given.toWellFormed();
  }
  return given === undefined || given === null ? '{}' : JSON.stringify(given).toWellFormed();
}

function foldFinish(stated: string, hasCalls: boolean): FinishReason {
  switch (stated) {
    case 'stop':
    case 'end':
    case 'end_turn':
    case 'eos':
    case 'eos_token':
    case 'stop_sequence':
    case 'tool_calls':
    case 'tool_use':
    case 'function_call':
      // What the message holds is what happened; some servers say `stop` beside calls, and the reverse.
      return hasCalls ? 'tool_calls' : 'stop';
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    case 'model_length':
      return 'length';
    case 'content_filter':
    case 'safety':
    case 'refusal':
      return 'content_filter';
    default:
      return 'unknown';
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}

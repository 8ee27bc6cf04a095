import { isJsonObject, type Json, type JsonObject } from '../../json.js';
import type { FinishReason } from '../../messages/message.js';
import type { ModelToolCall } from '../model.js';
import type { OfflineTurn } from '../offline-reply.js';

/** By what a recorded line is found. */
export interface RecordingKeys {
  readonly taskKey: string | null;
  /** Null: for any sample. */
  readonly sample: number | null;
  readonly prompt: string | null;
}

/**
 * The keys of a line: a record of this project, or `{prompt or task_key, sample?, turns}`.
 * Null when it is neither.
 */
export function recordingKeys(line: JsonObject): RecordingKeys | null {
  const task = line['task'];
  const keys = {
    taskKey: textOf(line['task_key']),
    sample: typeof line['sample'] === 'number' ? line['sample'] : null,
    prompt: textOf(line['prompt']) ?? (isJsonObject(task) ? textOf(task['prompt']) : null),
  };
  const turns = line['turns'];
  const recorded = Array.isArray(line['messages']) || Array.isArray(turns);
  return recorded && (keys.taskKey !== null || keys.prompt !== null) ? keys : null;
}

/** The assistant turns of a line, in order. */
export function recordedTurns(line: JsonObject): readonly OfflineTurn[] {
  const messages = line['messages'];
  const turns = Array.isArray(messages)
    ? messages.filter((message: Json) => isJsonObject(message) && message['role'] === 'assistant')
    : line['turns'];
  return (Array.isArray(turns) ? turns : []).filter(isJsonObject).map(turnOf);
}

function turnOf(turn: JsonObject): OfflineTurn {
  const calls = turn['tool_calls'];
  const finish = textOf(turn['finish_reason']);
  return {
    content: textOf(turn['content']) ?? '',
    reasoning: textOf(turn['reasoning']) ?? textOf(turn['reasoning_content']),
    tool_calls: (Array.isArray(calls) ? calls : []).filter(isJsonObject).map(callOf),
    ...(isFinishReason(finish) ? { finish_reason: finish } : {}),
  };
}

/** In our own shape, or with OpenAI's `function` around name and arguments. */
function callOf(call: JsonObject): ModelToolCall {
  const declared = isJsonObject(call['function']) ? call['function'] : call;
  const given = declared['arguments'];
  return {
    id: textOf(call['id']),
    name: textOf(declared['name']) ?? '',
    arguments: (typeof given === 'string' ? given : JSON.stringify(given ?? {})).toWellFormed(),
  };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isFinishReason(text: string | null): text is FinishReason {
  return (
    text !== null && ['stop', 'tool_calls', 'length', 'content_filter', 'unknown'].includes(text)
  );
}

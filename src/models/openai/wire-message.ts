import { isJsonObject, type JsonObject } from '../../json.js';
import type { AssistantMessage, Message, ToolCall } from '../../messages/message.js';
import { repairArguments } from './repair-arguments.js';

/** What a reply of this provider leaves in `provider_state`: that its reasoning must be sent again, and where. */
export const replaysReasoning = { reasoning_field: 'reasoning_content' } as const;

/**
 * A message as JSON text for the request. Every string in it is well-formed: a lone surrogate would be refused, in
 * this request and in every later one.
 */
export function wireMessage(message: Message): string {
  return JSON.stringify(wireObject(message));
}

function wireObject(message: Message): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content.toWellFormed() };
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: message.tool_call_id.toWellFormed(),
        content: message.content.toWellFormed(),
      };
    case 'assistant':
      return wireAssistant(message);
  }
}

function wireAssistant(message: AssistantMessage): JsonObject {
  const content = message.content.toWellFormed();
  const reasoning = needsReasoning(message)
    ? { reasoning_content: (message.reasoning ?? '').toWellFormed() }
    : {};
  if (message.tool_calls.length === 0) {
    return { role: 'assistant', content, ...reasoning };
  }
  return {
    role: 'assistant',
    // Null, and the key there: an empty text beside calls is refused by some servers, a missing key by others.
    content: content === '' ? null : content,
    ...reasoning,
    tool_calls: message.tool_calls.map(wireCall),
  };
}

/** Also for an empty one: servers that give reasoning in this field want it back on every turn that had it. */
function needsReasoning({ provider_state }: AssistantMessage): boolean {
  return (
    isJsonObject(provider_state) &&
    provider_state['reasoning_field'] === replaysReasoning.reasoning_field
  );
}

function wireCall(call: ToolCall): JsonObject {
  return {
    id: call.id.toWellFormed(),
    type: 'function',
    function: {
      name: replayedName(call.name),
      arguments: repairArguments(call.arguments.toWellFormed()),
    },
  };
}

/** A made-up name may hold anything; a server accepts only these characters. */
function replayedName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return safe === '' ? 'unnamed' : safe;
}

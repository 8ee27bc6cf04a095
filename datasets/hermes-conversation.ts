import { isJsonObject } from '../src/json.js';
import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../src/messages/message.js';
import { holdsMarkup } from './hermes-markup.js';
import type { HermesTurn } from './hermes-turn.js';
import { parsePortable } from './portable-json.js';
import { spacedJson } from './spaced-json.js';

/** Why the text of a row does not say all that the record says. */
export type HermesFlag =
  | 'tag_in_content'
  | 'tag_in_reasoning'
  | 'tag_in_tool_call'
  | 'tag_in_tool_result'
  | 'tag_in_tools'
  | 'unparsed_arguments'
  | 'repaired_unicode';

/**
 * The turns of a conversation after the system turn; `flag` hears of what the text cannot carry.
 * Every gpt turn opens with its think block, empty without reasoning. Results stand in one turn after the calls
 * that they answer, and take their name from the call with their id, never from their place.
 */
export function hermesConversation(
  messages: readonly Message[],
  flag: (flag: HermesFlag) => void,
): HermesTurn[] {
  const turns: HermesTurn[] = [];
  const names = new Map<string, string>();
  let responses: string[] = [];
  const endResponses = () => {
    if (responses.length > 0) {
      turns.push({ from: 'tool', value: responses.join('\n') });
      responses = [];
    }
  };
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      responses.push(toolResponse(message, names.get(message.tool_call_id), flag));
      return;
    }
    endResponses();
    if (message.role === 'assistant') {
      for (const call of message.tool_calls) {
        names.set(call.id, call.name);
      }
      turns.push({ from: 'gpt', value: gptValue(message, flag) });
    } else if (message.role === 'user') {
      turns.push({ from: 'human', value: message.content });
    } else if (index > 0) {
      // The first one is the record's `system_prompt`, a column of its own.
      turns.push({ from: 'system', value: message.content });
    }
  });
  endResponses();
  return turns;
}

function gptValue(message: AssistantMessage, flag: (flag: HermesFlag) => void): string {
  const reasoning = message.reasoning ?? '';
  const content = message.content;
  if (holdsMarkup(reasoning)) {
    flag('tag_in_reasoning');
  }
  if (holdsMarkup(content)) {
    flag('tag_in_content');
  }
  const thought = reasoning.trim() === '' ? '' : `${reasoning}\n`;
  const text = content.trim() === '' ? '' : `${content}\n`;
  const calls = message.tool_calls.map((call) => `${toolCall(call, flag)}\n`).join('');
  return `<think>\n${thought}</think>\n${text}${calls}`.trimEnd();
}

function toolCall(call: ToolCall, flag: (flag: HermesFlag) => void): string {
  const parsed = parsePortable(call.arguments);
  const usable = parsed.ok && isJsonObject(parsed.value);
  if (!usable) {
    flag('unparsed_arguments');
  }
  const args = usable ? spacedJson(call.arguments) : '{}';
  if (holdsMarkup(args) || holdsMarkup(call.name)) {
    flag('tag_in_tool_call');
  }
  return `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${args}}\n</tool_call>`;
}

function toolResponse(
  message: ToolMessage,
  name: string | undefined,
  flag: (flag: HermesFlag) => void,
): string {
  const object = [
    `{"tool_call_id": ${JSON.stringify(message.tool_call_id)}`,
    `"name": ${JSON.stringify(name ?? message.name)}`,
    `"content": ${responseContent(message.content)}}`,
  ].join(', ');
  if (holdsMarkup(object)) {
    flag('tag_in_tool_result');
  }
  return `<tool_response>\n${object}\n</tool_response>`;
}

/** JSON goes in as it is, byte for byte, so that numbers and layout stay what the model saw; other text as a string. */
function responseContent(content: string): string {
  const first = content.trimStart().charAt(0);
  const isJson = (first === '{' || first === '[') && parsePortable(content).ok;
  return isJson ? content : JSON.stringify(content);
}

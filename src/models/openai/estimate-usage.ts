import type { Message } from '../../messages/message.js';
import { estimateTokens } from '../../tokens/estimate-tokens.js';
import type { ModelReply, ModelRequest, Usage } from '../model.js';

/** Usage made up from lengths, for an answer without any. */
export function estimateUsage(
  { messages, tools }: ModelRequest,
  reply: Pick<ModelReply, 'content' | 'reasoning' | 'tool_calls'>,
): Usage {
  const asked = messages.reduce((sum, message) => sum + lengthOf(message), 0);
  const offered = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  const reasoning = reply.reasoning?.length ?? 0;
  return {
    prompt_tokens: estimateTokens(asked + offered),
    completion_tokens: estimateTokens(
      reply.content.length + reasoning + lengthOfCalls(reply.tool_calls),
    ),
    cached_tokens: 0,
    reasoning_tokens: estimateTokens(reasoning),
    source: 'estimate',
  };
}

function lengthOf(message: Message): number {
  return (
    message.content.length + (message.role === 'assistant' ? lengthOfCalls(message.tool_calls) : 0)
  );
}

function lengthOfCalls(
  calls: readonly { readonly name: string; readonly arguments: string }[],
): number {
  return calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}

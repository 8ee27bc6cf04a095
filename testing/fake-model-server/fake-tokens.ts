import type { FakeModelReply, FakeModelRequest } from './script.js';

/** Token ids as an engine with `return_token_ids` gives them. */
export interface FakeTokens {
  readonly promptIds: readonly number[];
  readonly completionIds: readonly number[];
  readonly logprobs: readonly number[];
}

/**
 * One made-up token per four characters. A reply has the same ids when it comes back in a later prompt, so that
 * prompts grow by appending, as on a real engine with an exact chat template.
 */
export function fakeTokens(request: FakeModelRequest, reply: FakeModelReply): FakeTokens {
  const promptIds = request.messages.flatMap((message) =>
    idsOf(message.role, message.content, callsOf(message.tool_calls)),
  );
  const completionIds = idsOf(
    'assistant',
    reply.content,
    (reply.toolCalls ?? []).map((call) => [
      call.name,
      typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    ]),
  );
  return {
    promptIds,
    completionIds,
    logprobs: completionIds.map((id) => -((id % 97) + 1) / 100),
  };
}

function callsOf(calls: unknown): unknown[] {
  return (Array.isArray(calls) ? calls : []).map((call: { function?: Record<string, unknown> }) => [
    call.function?.['name'],
    call.function?.['arguments'],
  ]);
}

function idsOf(role: string, content: unknown, calls: readonly unknown[]): number[] {
  const text = `${role}\n${typeof content === 'string' ? content : ''}${calls.length === 0 ? '' : JSON.stringify(calls)}\n`;
  const ids: number[] = [];
  for (let at = 0; at < text.length; at += 4) {
    let id = 7;
    for (let index = at; index < Math.min(at + 4, text.length); index++) {
      id = (id * 31 + text.charCodeAt(index)) % 100_003;
    }
    ids.push(id);
  }
  return ids;
}

import { describe, expect, it } from 'vitest';
import { checkConversation } from '../../../src/messages/check-conversation.js';
import type { AssistantMessage, Message, ToolMessage } from '../../../src/messages/message.js';

const system: Message = { role: 'system', content: 'You help.' };
const user: Message = { role: 'user', content: 'Do it.' };

function assistant(...ids: string[]): AssistantMessage {
  return {
    role: 'assistant',
    content: 'text',
    reasoning: null,
    tool_calls: ids.map((id) => ({ id, name: 'terminal', arguments: '{}' })),
    finish_reason: ids.length > 0 ? 'tool_calls' : 'stop',
    model: 'm',
  };
}

function result(id: string, status: ToolMessage['status'] = 'ok'): ToolMessage {
  return {
    role: 'tool',
    tool_call_id: id,
    name: 'terminal',
    content: 'out',
    status,
    original_chars: 3,
    tier: null,
    sha256: '',
    seconds: 0,
  };
}

const rulesOf = (messages: Message[]) => checkConversation(messages).map((broken) => broken.rule);

describe('checkConversation', () => {
  it.each<[string, Message[]]>([
    ['an empty one', []],
    ['a system prompt alone', [system]],
    ['a question and its answer', [system, user, assistant()]],
    ['one without a system prompt', [user, assistant()]],
    ['parallel calls', [system, user, assistant('a', 'b'), result('a'), result('b'), assistant()]],
    ['one that a limit ended on a tool result', [system, user, assistant('a'), result('a')]],
    ['a user message after tool results', [user, assistant('a'), result('a'), user, assistant()]],
  ])('accepts %s', (_what, messages) => {
    expect(checkConversation(messages)).toEqual([]);
  });

  it.each<[string, Message[], string[]]>([
    ['two user messages in a row', [user, user], ['order']],
    ['two assistant messages in a row', [user, assistant(), assistant()], ['order']],
    ['an assistant message first', [assistant()], ['order']],
    ['an assistant message after the system prompt', [system, assistant()], ['order']],
    ['a late system message', [user, system], ['order']],
    ['a call without a result at the end', [user, assistant('a')], ['unanswered_call']],
    ['a call without a result in the middle', [user, assistant('a'), user], ['unanswered_call']],
    [
      'one of two calls without a result',
      [user, assistant('a', 'b'), result('a'), assistant()],
      ['unanswered_call'],
    ],
    ['a result without a call', [user, result('a')], ['stray_result']],
    [
      'a second result for one call',
      [user, assistant('a'), result('a'), result('a')],
      ['stray_result'],
    ],
    [
      'results out of order',
      [user, assistant('a', 'b'), result('b'), result('a')],
      ['stray_result', 'unanswered_call'],
    ],
    [
      'a result that comes a turn late',
      [user, assistant('a'), assistant(), result('a')],
      ['unanswered_call', 'order', 'stray_result'],
    ],
    ['an empty id', [user, assistant(''), result('')], ['call_id']],
    [
      'an id that an earlier turn used',
      [user, assistant('a'), result('a'), assistant('a'), result('a')],
      ['call_id'],
    ],
    ['a lone surrogate', [{ role: 'user', content: 'a\udc00' }], ['lone_surrogate']],
    [
      'a lone surrogate in arguments',
      [
        user,
        { ...assistant(), tool_calls: [{ id: 'a', name: 'n', arguments: '"\ud800"' }] },
        result('a'),
      ],
      ['lone_surrogate'],
    ],
  ])('reports %s', (_what, messages, rules) => {
    expect(rulesOf(messages)).toEqual(rules);
  });

  it('reports a call that ran although its arguments could not be parsed', () => {
    const call = { id: 'a', name: 'terminal', arguments: '{', parse_error: 'broken' };
    const asking = { ...assistant(), tool_calls: [call] };
    expect(rulesOf([user, asking, result('a', 'ok')])).toEqual(['unparsed_call_ran']);
    expect(rulesOf([user, asking, result('a', 'invalid')])).toEqual([]);
  });

  it('says where and what', () => {
    expect(checkConversation([system, user, assistant('x1')])).toEqual([
      { rule: 'unanswered_call', index: 3, message: 'The tool call "x1" has no result.' },
    ]);
  });
});

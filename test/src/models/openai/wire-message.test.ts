import { expect, test } from 'vitest';
import type { Message } from '../../../../src/messages/message.js';
import { wireMessage } from '../../../../src/models/openai/wire-message.js';
import { assistant, toolMessage, user } from '../support.js';

const wire = (message: Message) => JSON.parse(wireMessage(message)) as Record<string, unknown>;
const call = { id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' };

test('calls without text go with a null content', () => {
  expect(wire(assistant({ tool_calls: [call] }))).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } },
    ],
  });
});

test('a reply without calls goes without a list of calls, also when it is empty', () => {
  expect(wire(assistant({ content: '' }))).toEqual({ role: 'assistant', content: '' });
});

test('reasoning goes back only where the reply came with reasoning_content', () => {
  const thought = assistant({ content: 'x', reasoning: 'because' });
  expect(wire(thought)).not.toHaveProperty('reasoning_content');
  const state = { reasoning_field: 'reasoning_content' };
  expect(wire({ ...thought, provider_state: state })).toHaveProperty(
    'reasoning_content',
    'because',
  );
  expect(wire({ ...thought, provider_state: { reasoning_field: 'other' } })).not.toHaveProperty(
    'reasoning_content',
  );
});

test('an empty reasoning_content goes back as it came', () => {
  const message = assistant({ provider_state: { reasoning_field: 'reasoning_content' } });
  expect(wire(message)).toHaveProperty('reasoning_content', '');
});

test('a made-up tool name is made acceptable, always in the same way', () => {
  const named = (name: string) => {
    const sent = wire(assistant({ tool_calls: [{ ...call, name }] }))['tool_calls'];
    return (sent as { function: { name: string } }[])[0]?.function.name;
  };
  expect(named('functions.run shell!')).toBe('functions_run_shell_');
  expect(named('x'.repeat(100))).toHaveLength(64);
  expect(named('')).toBe('unnamed');
});

test('broken arguments go back as an object', () => {
  const message = assistant({
    tool_calls: [{ ...call, arguments: '["ls"]', parse_error: 'list' }],
  });
  expect(wire(message)).toHaveProperty(['tool_calls', 0, 'function', 'arguments'], '{}');
});

test('no lone surrogate is sent', () => {
  const text = JSON.stringify([
    wireMessage(user('a\ud83d')),
    wireMessage(toolMessage('c\udc00', '\ud83d')),
    wireMessage(assistant({ content: '\ud83d', tool_calls: [{ ...call, name: '\ud83d' }] })),
  ]);
  expect(text).not.toMatch(/\\u[dD][89a-fA-F]/);
});

test('a tool result is matched by id and carries nothing of ours', () => {
  expect(wire(toolMessage('c1', 'out'))).toEqual({
    role: 'tool',
    tool_call_id: 'c1',
    content: 'out',
  });
});

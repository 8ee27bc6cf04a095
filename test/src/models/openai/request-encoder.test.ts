import { expect, test } from 'vitest';
import type { Message } from '../../../../src/messages/message.js';
import { RequestEncoder } from '../../../../src/models/openai/request-encoder.js';
import { assistant, toolMessage, user } from '../support.js';

const tail = '],"model":"m"}';

function encoded(encoder: RequestEncoder, messages: readonly Message[], end = tail) {
  return JSON.parse(Buffer.from(encoder.encode(messages, end)).toString('utf8'));
}

test('a conversation that grows is encoded as if it were new each time', () => {
  const growing = new RequestEncoder();
  const messages: Message[] = [{ role: 'system', content: 'Be brief.' }, user('Grüße, 世界 🎉')];
  for (let turn = 0; turn < 40; turn++) {
    const end = turn % 2 === 0 ? tail : `],"tools":["${'x'.repeat(turn * 50)}"]}`;
    expect(encoded(growing, messages, end)).toEqual(encoded(new RequestEncoder(), messages, end));
    messages.push(
      assistant({ tool_calls: [{ id: `c${turn}`, name: 'terminal', arguments: '{}' }] }),
      toolMessage(`c${turn}`, `é${'out\n'.repeat(turn * 30)}`),
    );
  }
  expect(encoded(growing, messages).messages).toHaveLength(82);
});

test('a conversation that was shortened or rewritten is encoded anew', () => {
  const encoder = new RequestEncoder();
  const [a, b, c] = [user('a'), user('b'), user('c')];
  encoder.encode([a, b], tail);
  expect(encoded(encoder, [a]).messages).toEqual([{ role: 'user', content: 'a' }]);
  expect(encoded(encoder, [c, b]).messages).toEqual([
    { role: 'user', content: 'c' },
    { role: 'user', content: 'b' },
  ]);
});

test('an empty conversation is a list without items', () => {
  expect(encoded(new RequestEncoder(), [])).toEqual({ messages: [], model: 'm' });
});

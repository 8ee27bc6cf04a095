import { expect, test } from 'vitest';
import { openTestModel, replyOf, request, user } from '../support.js';

test('nop answers at once, calls nothing and costs nothing', async () => {
  const { model } = await openTestModel({ use: 'nop' });
  const reply = replyOf(await model.generate(request(user('go')), new AbortController().signal));
  expect(reply).toMatchObject({
    tool_calls: [],
    finish_reason: 'stop',
    reasoning: null,
    model: 'nop',
  });
  expect(reply.content).not.toBe('');
  expect(reply.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, source: 'server' });
});

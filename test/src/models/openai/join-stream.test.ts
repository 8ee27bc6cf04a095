import { expect, test } from 'vitest';
import { joinStream } from '../../../../src/models/openai/join-stream.js';

async function* chunks(...deltas: readonly object[]) {
  for (const delta of deltas) {
    yield { model: 'served', choices: [{ index: 0, delta, finish_reason: null }] };
  }
  yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
}

const callsOf = async (...deltas: readonly object[]) => {
  const joined = await joinStream(chunks(...deltas));
  const choices = joined?.['choices'] as { message: { tool_calls: unknown } }[] | undefined;
  return choices?.[0]?.message.tool_calls;
};

test('calls that arrive in turns are kept apart by index', async () => {
  const piece = (index: number, rest: object) => ({ tool_calls: [{ index, ...rest }] });
  expect(
    await callsOf(
      piece(0, { id: 'a', function: { name: 'x', arguments: '{"p"' } }),
      piece(1, { id: 'b', function: { name: 'y', arguments: '' } }),
      piece(0, { function: { arguments: ':1}' } }),
      piece(1, { function: { arguments: '{}' } }),
    ),
  ).toEqual([
    { id: 'a', function: { name: 'x', arguments: '{"p":1}' } },
    { id: 'b', function: { name: 'y', arguments: '{}' } },
  ]);
});

test('a name and an id that are repeated in every chunk are taken once', async () => {
  const piece = (text: string) => ({
    tool_calls: [{ index: 0, id: 'a', function: { name: 'web_search', arguments: text } }],
  });
  expect(await callsOf(piece('{"q"'), piece(':1}'))).toEqual([
    { id: 'a', function: { name: 'web_search', arguments: '{"q":1}' } },
  ]);
});

test('calls without an index are merged by id', async () => {
  const piece = (rest: object) => ({ tool_calls: [rest] });
  expect(
    await callsOf(
      piece({ id: 'a', function: { name: 'x', arguments: '{' } }),
      piece({ id: 'a', function: { arguments: '}' } }),
      piece({ id: 'b', function: { name: 'y', arguments: '{}' } }),
    ),
  ).toHaveLength(2);
});

test('a stream that ends without a finish reason is not a completion', async () => {
  async function* cut() {
    yield { choices: [{ index: 0, delta: { content: 'half' }, finish_reason: null }] };
  }
  expect(await joinStream(cut())).toBeNull();
});

test('token ids and log probabilities of all chunks are put together', async () => {
  async function* stream() {
    yield {
      prompt_token_ids: [1],
      choices: [{ delta: {}, token_ids: [2], logprobs: { content: [{ logprob: -1 }] } }],
    };
    yield {
      choices: [
        {
          delta: {},
          token_ids: [3],
          logprobs: { content: [{ logprob: -2 }] },
          finish_reason: 'stop',
        },
      ],
    };
  }
  expect(await joinStream(stream())).toMatchObject({
    prompt_token_ids: [1],
    choices: [{ token_ids: [2, 3], logprobs: { content: [{ logprob: -1 }, { logprob: -2 }] } }],
  });
});

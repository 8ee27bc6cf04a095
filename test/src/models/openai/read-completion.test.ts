import { describe, expect, test } from 'vitest';
import { readCompletion } from '../../../../src/models/openai/read-completion.js';

function reply(message: object, rest: { choice?: object; body?: object } = {}) {
  const choice = { message, finish_reason: 'stop', ...rest.choice };
  const read = readCompletion({ model: 'served', choices: [choice], ...rest.body }, 'asked');
  if (!read.ok) {
    throw new Error(read.problem);
  }
  return read.reply;
}

describe('reasoning', () => {
  test('is taken from reasoning_content first, and that is remembered', () => {
    const message = { content: 'x', reasoning_content: 'a', reasoning: 'b' };
    expect(reply(message)).toMatchObject({
      content: 'x',
      reasoning: 'a',
      provider_state: { reasoning_field: 'reasoning_content' },
    });
  });

  test('is taken from reasoning, and nothing is remembered', () => {
    const read = reply({ content: 'x', reasoning: 'b' });
    expect(read).toMatchObject({ content: 'x', reasoning: 'b' });
    expect(read).not.toHaveProperty('provider_state');
  });

  test('is taken from the first text of reasoning_details', () => {
    const details = [
      { type: 'reasoning.encrypted', data: '..' },
      { text: 'first' },
      { text: 'second' },
    ];
    expect(reply({ content: 'x', reasoning_details: details }).reasoning).toBe('first');
  });

  test('is split out of the content where there is no field for it', () => {
    expect(reply({ content: '<think>why</think>\n\nanswer' })).toMatchObject({
      content: 'answer',
      reasoning: 'why',
    });
  });

  test('is split out of the content where the field is empty', () => {
    const message = { content: '<think>why</think>answer', reasoning_content: '' };
    expect(reply(message)).toMatchObject({
      content: 'answer',
      reasoning: 'why',
      provider_state: { reasoning_field: 'reasoning_content' },
    });
  });

  test('is null where there is none', () => {
    expect(reply({ content: 'x', reasoning_content: null })).toMatchObject({ reasoning: null });
    expect(reply({ content: 'x', reasoning_content: null })).not.toHaveProperty('provider_state');
  });
});

describe('tool calls', () => {
  const calls = (...list: unknown[]) => reply({ content: null, tool_calls: list }).tool_calls;

  test('keep their arguments as the model wrote them', () => {
    const call = { id: 'c', type: 'function', function: { name: 't', arguments: '{"a": 1,}' } };
    expect(calls(call)).toEqual([{ id: 'c', name: 't', arguments: '{"a": 1,}' }]);
  });

  test('whose arguments are an object get them as text', () => {
    expect(calls({ function: { name: 't', arguments: { a: 1 } } })).toEqual([
      { id: null, name: 't', arguments: '{"a":1}' },
    ]);
  });

  test('without arguments, name or function are still calls', () => {
    expect(calls({ id: '', function: { name: 't' } }, { id: 'x' })).toEqual([
      { id: null, name: 't', arguments: '{}' },
      { id: 'x', name: '', arguments: '{}' },
    ]);
  });

  test('in the form of old servers are read', () => {
    const old = { content: null, function_call: { name: 't', arguments: '{}' } };
    expect(reply(old, { choice: { finish_reason: 'function_call' } })).toMatchObject({
      finish_reason: 'tool_calls',
      tool_calls: [{ id: null, name: 't', arguments: '{}' }],
    });
  });
});

test.each([
  ['stop', 'stop'],
  ['END', 'stop'],
  ['eos', 'stop'],
  ['tool_calls', 'stop'],
  ['max_tokens', 'length'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['something new', 'unknown'],
  [null, 'unknown'],
])('the finish reason %s of a text is %s', (stated, expected) => {
  expect(reply({ content: 'x' }, { choice: { finish_reason: stated } }).finish_reason).toBe(
    expected,
  );
});

test.each([
  ['stop', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
])('the finish reason %s beside calls is %s', (stated, expected) => {
  const message = { content: null, tool_calls: [{ function: { name: 't', arguments: '{' } }] };
  expect(reply(message, { choice: { finish_reason: stated } }).finish_reason).toBe(expected);
});

test('usage is read with cached and reasoning tokens', () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  expect(reply({ content: 'x' }, { body: { usage } }).usage).toEqual({
    prompt_tokens: 10,
    completion_tokens: 5,
    cached_tokens: 4,
    reasoning_tokens: 3,
    source: 'server',
  });
});

test.each([
  ['missing', undefined],
  ['null', null],
  ['all zero', { prompt_tokens: 0, completion_tokens: 0 }],
  ['not numbers', { prompt_tokens: '10', completion_tokens: 5 }],
  ['negative', { prompt_tokens: -1, completion_tokens: 5 }],
  ['more than any model reads', { prompt_tokens: 1.7e308, completion_tokens: 5 }],
])('usage that is %s is no usage', (_what, usage) => {
  expect(reply({ content: 'x' }, { body: { usage } }).usage).toBeNull();
});

test('token ids and log probabilities are picked up', () => {
  const choice = { token_ids: [7, 8], logprobs: { content: [{ logprob: -0.5 }, { logprob: -1 }] } };
  expect(reply({ content: 'x' }, { choice, body: { prompt_token_ids: [1, 2, 3] } }).tokens).toEqual(
    {
      prompt_ids: [1, 2, 3],
      completion_ids: [7, 8],
      completion_logprobs: [-0.5, -1],
    },
  );
});

test('log probabilities that do not match the ids are left out', () => {
  const choice = { token_ids: [7, 8], logprobs: { content: [{ logprob: -0.5 }] } };
  expect(reply({ content: 'x' }, { choice }).tokens?.completion_logprobs).toEqual([]);
});

test('ids are read from tokens that are written as ids', () => {
  const logprobs = { content: [{ token: 'token_id:42', logprob: -0.5 }] };
  expect(reply({ content: 'x' }, { choice: { logprobs } }).tokens).toMatchObject({
    completion_ids: [42],
    completion_logprobs: [-0.5],
  });
});

test('no string holds a lone surrogate', () => {
  const read = reply({
    content: 'a\ud83d',
    reasoning_content: '\udc00',
    tool_calls: [{ id: '\ud83d', function: { name: '\ud83d', arguments: '\ud83d' } }],
  });
  expect(JSON.stringify(read)).not.toMatch(/\\ud/i);
});

test('content in parts, and a refusal, are text', () => {
  expect(reply({ content: [{ type: 'text', text: 'a' }, { text: 'b' }] }).content).toBe('ab');
  expect(reply({ content: null, refusal: 'I cannot.' }).content).toBe('I cannot.');
});

test('the model that answered is named, else the one that was asked', () => {
  expect(reply({ content: 'x' }).model).toBe('served');
  expect(reply({ content: 'x' }, { body: { model: undefined } }).model).toBe('asked');
});

test.each([
  ['a list', []],
  ['null', null],
  ['no choices', {}],
  ['an empty list of choices', { choices: [] }],
  ['a choice without a message', { choices: [{}] }],
  ['a generation that the server gave up', { choices: [{ message: {}, finish_reason: 'abort' }] }],
])('%s is no completion', (_what, body) => {
  expect(readCompletion(body, 'm')).toMatchObject({ ok: false, error: null });
});

test('an error object is no completion, also inside a choice', () => {
  const error = { message: 'x' };
  expect(readCompletion({ error, choices: [] }, 'm')).toMatchObject({
    ok: false,
    error: { error },
  });
  const choice = { error, message: { content: 'half' } };
  expect(readCompletion({ choices: [choice] }, 'm')).toMatchObject({ ok: false, error: { error } });
});

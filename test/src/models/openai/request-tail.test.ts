import { expect, test } from 'vitest';
import type { ModelConfig } from '../../../../src/models/model-provider.js';
import { requestTail } from '../../../../src/models/openai/request-tail.js';
import { modelConfig } from '../support.js';

function body(
  config: Partial<ModelConfig>,
  tools: Parameters<ReturnType<typeof requestTail>>[0] = [],
  seed?: number,
) {
  const tail = requestTail(modelConfig({ baseUrl: 'http://localhost:1/v1', ...config }), 'm');
  return JSON.parse(`{"messages":[${tail(tools, seed)}`) as Record<string, unknown>;
}

test('what is not set is not sent', () => {
  expect(body({})).toEqual({ messages: [], model: 'm' });
});

test('everything that is set is sent', () => {
  const config = {
    temperature: 0,
    topP: 0.9,
    maxTokens: 10,
    stop: ['x'],
    reasoningEffort: 'low',
  } as const;
  expect(body(config, [], 7)).toEqual({
    messages: [],
    model: 'm',
    temperature: 0,
    top_p: 0.9,
    max_tokens: 10,
    stop: ['x'],
    reasoning_effort: 'low',
    seed: 7,
  });
});

test('OpenAI itself gets max_completion_tokens', () => {
  expect(body({ baseUrl: null, maxTokens: 10 })).toMatchObject({ max_completion_tokens: 10 });
  expect(body({ baseUrl: null, maxTokens: 10 })).not.toHaveProperty('max_tokens');
});

test('tools are sent as functions', () => {
  const tool = { name: 't', description: 'd', parameters: { type: 'object' } };
  expect(body({}, [tool])).toHaveProperty('tools', [{ type: 'function', function: tool }]);
});

test('extra fields win over ours, and null takes one of ours out', () => {
  const extraBody = { temperature: 0.1, top_k: 5, seed: null, top_p: null, guided: null };
  expect(body({ temperature: 1, topP: 0.5, extraBody }, [], 7)).toEqual({
    messages: [],
    model: 'm',
    temperature: 0.1,
    top_k: 5,
    guided: null,
  });
});

test('a stream is asked for its usage', () => {
  expect(body({ extraBody: { stream: true } })).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  });
});

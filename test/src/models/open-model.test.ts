import { expect, test } from 'vitest';
import { TalariaError } from '../../../src/errors.js';
import { modelProviderOf } from '../../../src/models/open-model.js';
import { parseModelName } from '../../../src/models/parse-model-name.js';

test.each([
  ['openai:gpt', 'openai', 'gpt'],
  ['openai:org/model:free', 'openai', 'org/model:free'],
  ['oracle', 'oracle', ''],
  ['replay:', 'replay', ''],
])('%s is provider %s with model %s', (use, provider, model) => {
  expect(parseModelName(use)).toEqual({ provider, model });
});

test.each(['oracle', 'nop', 'replay', 'openai:m', 'oracle:anything'])(
  '%s has a provider',
  async (use) => {
    expect((await modelProviderOf(use)).name).toBe(parseModelName(use).provider);
  },
);

test.each([
  ['opneai:m', /did you mean "openai"\?.*There are nop, openai, oracle, replay\./],
  ['my-model', /Write it as `provider:model`/],
  ['openai', /Expected model\.use to be `openai:<model>`/],
  ['openai:', /Expected model\.use to be `openai:<model>`/],
  ['constructor:m', /Unknown model provider/],
  ['', /Unknown model provider/],
])('%s is a usage error that says what to write', async (use, message) => {
  const error: unknown = await modelProviderOf(use).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TalariaError);
  expect(error).toMatchObject({ code: 'usage', message: expect.stringMatching(message) });
});

import { describe, expect, it } from 'vitest';
import type { Model, ModelFailureClass } from '../../../src/models/model.js';
import { callEcho, run } from './agent-fixture.js';

describe('failures of the model', () => {
  it.each<ModelFailureClass>([
    'rate_limit',
    'overloaded',
    'server_error',
    'timeout',
    'connection',
    'auth',
    'billing',
    'model_not_found',
    'content_policy',
    'bad_request',
    'malformed',
    'replay_exhausted',
    'replay_diverged',
    'unknown',
    // Nobody stopped the rollout, so it is the model's own failure.
    'cancelled',
  ])('ends as model_error on %s and hands the failure on', async (failureClass) => {
    const failure = {
      class: failureClass,
      retryable: true,
      message: 'said the server',
      status: 418,
      attempts: 4,
    };
    const { outcome } = await run([callEcho(1), { failure }]);
    expect(outcome).toMatchObject({
      exitReason: 'model_error',
      modelFailure: failure,
      retries: 3,
      modelCalls: 2,
      turns: 1,
    });
    expect(outcome.messages.at(-1)?.role).toBe('tool');
  });

  it('ends as context_overflow, which is a truncation, when the conversation is too long', async () => {
    const { outcome } = await run([callEcho(1), { failure: 'context_overflow' }]);
    expect(outcome).toMatchObject({
      exitReason: 'context_overflow',
      modelFailure: { class: 'context_overflow' },
    });
  });

  it('ends as model_error when not even the first request fits: the model has not done anything', async () => {
    const { outcome } = await run([{ failure: 'context_overflow' }]);
    expect(outcome).toMatchObject({
      exitReason: 'model_error',
      modelFailure: { class: 'context_overflow', retryable: false },
    });
  });

  it('turns a model that throws into a failure that can be tried again', async () => {
    const { outcome, events } = await run([callEcho(1), { throws: new TypeError('boom') }]);
    expect(outcome).toMatchObject({
      exitReason: 'model_error',
      modelFailure: { class: 'unknown', retryable: true, message: 'The model client threw: boom' },
    });
    expect(events.at(-2)).toMatchObject({ type: 'model-call-end', ok: false });
  });

  it.each([
    [
      'throws at once',
      () => {
        throw 'not even an error';
      },
    ],
    ['returns undefined', async () => undefined],
    ['returns a number', async () => 3],
    ['returns an empty object', async () => ({})],
    ['returns a reply of null', async () => ({ ok: true, reply: null })],
    ['returns a failure of null', async () => ({ ok: false, failure: null })],
    ['returns no promise', () => null],
    [
      'returns a reply that throws when it is read',
      async () => ({
        ok: true,
        reply: {
          get content() {
            throw new Error('trap');
          },
        },
      }),
    ],
  ])('does not reject for a model that %s', async (_what, generate) => {
    const model = { name: 'bad:model', generate } as unknown as Model;
    const { outcome } = await run([], { input: { model } });
    expect(['model_error', 'environment_error']).toContain(outcome.exitReason);
    expect(outcome.modelFailure ?? outcome.error).not.toBe(null);
    expect(outcome.messages).toHaveLength(2);
  });

  it('fills in what a failure leaves out', async () => {
    const generate = async () => ({ ok: false, failure: { message: 'a\ud800' } });
    const model = { name: 'bad:model', generate } as unknown as Model;
    const { outcome } = await run([], { input: { model } });
    expect(outcome.modelFailure).toEqual({
      class: 'unknown',
      retryable: false,
      message: 'a\ufffd',
      attempts: 1,
    });
    expect(outcome.retries).toBe(0);
  });
});

describe('a filtered reply', () => {
  it('ends as model_error of class content_policy, and keeps what was said', async () => {
    const { outcome } = await run([{ content: 'I was about to', finish_reason: 'content_filter' }]);
    expect(outcome).toMatchObject({
      exitReason: 'model_error',
      modelFailure: { class: 'content_policy', retryable: false },
      turns: 1,
    });
    expect(outcome.messages.at(-1)).toMatchObject({ content: 'I was about to' });
  });

  it('stores nothing when nothing was said, and is not asked for again', async () => {
    const { outcome } = await run([{ finish_reason: 'content_filter' }, 'never asked']);
    expect(outcome).toMatchObject({ exitReason: 'model_error', modelCalls: 1, turns: 0 });
    expect(outcome.messages).toHaveLength(2);
  });

  it('never runs its calls', async () => {
    const { outcome, executed } = await run([{ ...callEcho(1), finish_reason: 'content_filter' }]);
    expect(executed).toEqual([]);
    expect(outcome.messages.at(-1)).toMatchObject({ role: 'tool', status: 'invalid' });
  });
});

describe('an empty reply', () => {
  it('is asked for again, with another seed, and leaves no trace in the conversation', async () => {
    const { outcome, model } = await run(['', { content: ' \n' }, 'Here I am.']);
    expect(outcome).toMatchObject({ exitReason: 'finished', modelCalls: 3, turns: 1 });
    expect(outcome.messages).toHaveLength(3);
    expect(outcome.usage.prompt_tokens).toBe(30);
    expect(model.requests.map((request) => request.seed)).toEqual([7, 8, 9]);
    expect(model.requests.map((request) => request.messages.length)).toEqual([2, 2, 2]);
  });

  it('ends as malformed after three in a row', async () => {
    const { outcome } = await run(() => '');
    expect(outcome).toMatchObject({
      exitReason: 'model_error',
      modelFailure: { class: 'malformed', attempts: 3 },
      modelCalls: 3,
      turns: 0,
    });
  });

  it('is counted anew in each turn', async () => {
    const { outcome } = await run(['', '', callEcho(1), '', '', 'Done.']);
    expect(outcome).toMatchObject({ exitReason: 'finished', modelCalls: 6, turns: 2 });
  });

  it('uses up the budget like any other call', async () => {
    const { outcome } = await run(() => '', { config: { maxTurns: 2, onBudget: 'summarize' } });
    expect(outcome).toMatchObject({ exitReason: 'turn_budget', modelCalls: 2 });
    expect(outcome.messages).toHaveLength(2);
  });

  it('is never replaced by text of an earlier turn', async () => {
    const { outcome } = await run((_request, call) =>
      call === 0 ? { content: 'Let me look.', ...callEcho(1) } : '',
    );
    expect(outcome.exitReason).toBe('model_error');
  });

  it('is an answer when the model reasoned and says that it had finished', async () => {
    const { outcome } = await run([{ reasoning: 'Nothing to do.', finish_reason: 'stop' }]);
    expect(outcome.exitReason).toBe('finished');
    expect(outcome.messages.at(-1)).toMatchObject({ content: '', reasoning: 'Nothing to do.' });
  });

  it.each(['tool_calls', 'unknown'] as const)(
    'is no answer when the model only reasoned and ended with %s',
    async (finishReason) => {
      const { outcome } = await run([
        { reasoning: 'I will call a tool.', finish_reason: finishReason },
        'Done.',
      ]);
      expect(outcome).toMatchObject({ exitReason: 'finished', modelCalls: 2, turns: 1 });
    },
  );
});

import { describe, expect, it } from 'vitest';
import type { ExecuteToolCalls } from '../../../src/agent/agent.js';
import type { FinishReason } from '../../../src/messages/message.js';
import { type Random, seededRandom } from '../../../src/random.js';
import { statusOfExit } from '../../../src/rollout/exit-reason.js';
import { fakeClock } from '../../../testing/fake-clock.js';
import type { ScriptedStep } from '../../../testing/scripted-model.js';
import { answerAll, beginAgent, callEcho, run, toolResult } from './agent-fixture.js';

const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0];

const texts = [
  '',
  '',
  ' ',
  'text',
  '<think>a</think>b',
  '</think>',
  'a\ud800',
  '<thought>',
  '```',
] as const;
const argumentTexts = [
  '{}',
  '',
  '{"a":1}',
  '{"a":',
  '[]',
  'null',
  '{"__proto__":1}',
  '"\udc00"',
] as const;
const finishReasons = [
  'stop',
  'tool_calls',
  'unknown',
  'stop',
  'tool_calls',
  'length',
  'content_filter',
] as const;
const ids = [null, null, '', 'same', 'same', 'call_1_1', 'call_2_1', 'x\ud800'] as const;

function randomReply(random: Random): ScriptedStep {
  const calls = random() < 0.7 ? Math.floor(random() * 4) : 0;
  return {
    content: pick(random, texts),
    reasoning: random() < 0.5 ? pick(random, texts) : null,
    // Mostly whole replies, so that conversations grow.
    finish_reason: pick<FinishReason>(random, random() < 0.7 ? ['tool_calls'] : finishReasons),
    tool_calls: Array.from({ length: calls }, () => ({
      name: pick(random, ['echo', 'unknown', '', '__proto__', 'n\udc00']),
      arguments: pick(random, argumentTexts),
      id: pick(random, ids),
    })),
  };
}

function randomStep(random: Random): ScriptedStep {
  const kind = random();
  if (kind < 0.03) {
    return { throws: new Error('boom') };
  }
  if (kind < 0.06) {
    return { failure: pick(random, ['rate_limit', 'context_overflow', 'cancelled']) };
  }
  return kind < 0.09 ? { hang: true } : randomReply(random);
}

/** Mostly does what it should; now and then what it must not. */
function randomExecutor(random: Random): ExecuteToolCalls {
  return async (batch) => {
    const { messages } = await answerAll((call) => ({
      status: pick(random, ['ok', 'error', 'invalid', 'cancelled']),
      content: pick(random, ['same', call.id, 'a\ud83d']),
    }))(batch);
    const mood = random();
    if (mood < 0.02) {
      throw new Error('executor bug');
    }
    if (mood < 0.04) {
      return { messages: messages.slice(1), sandboxGone: null };
    }
    if (mood < 0.06) {
      return { messages: [...messages].reverse(), sandboxGone: null };
    }
    if (mood < 0.08) {
      return { messages, sandboxGone: 'gone' };
    }
    if (mood < 0.1) {
      return new Promise<never>(() => {});
    }
    const extra = batch.calls[0];
    return {
      messages: extra !== undefined && mood < 0.12 ? [...messages, toolResult(extra)] : messages,
      sandboxGone: null,
    };
  };
}

describe('whatever models and tools do', () => {
  it('each conversation is well formed, each call runs at most once, each budget holds', async () => {
    const reached = new Map<string, number>();
    for (let seed = 0; seed < 1500; seed += 1) {
      const random = seededRandom(seed);
      const clock = fakeClock();
      const controller = new AbortController();
      const maxTurns = 1 + Math.floor(random() * 12);
      const onBudget = pick(random, ['stop', 'summarize'] as const);
      const abortAt = random() < 0.1 ? Math.floor(random() * 6) : null;
      const { done, executed } = beginAgent(
        async () => {
          await clock.sleep(1);
          return randomStep(random);
        },
        {
          clock,
          signal: controller.signal,
          config: {
            maxTurns,
            onBudget,
            maxRepeatedCalls: 2,
            maxTotalTokens: random() < 0.2 ? 100 : null,
          },
          execute: randomExecutor(random),
        },
      );
      let ended = false;
      const ran = done
        .catch((thrown: unknown) => {
          throw new Error(`seed ${seed}`, { cause: thrown });
        })
        .finally(() => {
          ended = true;
        });
      // Handled below; a rejection may come while the clock is being moved.
      ran.catch(() => {});
      for (let step = 0; step < 90 && !ended; step += 1) {
        if (step === abortAt) {
          controller.abort();
        }
        await clock.advance(step < 15 ? 1 : 1000);
      }
      // The fixture checks the conversation and that no timer is left.
      const { outcome, model, events } = await ran;
      const where = `seed ${seed}`;
      reached.set(outcome.exitReason, (reached.get(outcome.exitReason) ?? 0) + 1);
      expect(statusOfExit, where).toHaveProperty(outcome.exitReason);
      expect(new Set(executed.map((call) => call.id)).size, where).toBe(executed.length);
      expect(
        executed.filter((call) => call.parse_error !== undefined),
        where,
      ).toEqual([]);
      expect(outcome.modelCalls, where).toBeLessThanOrEqual(
        maxTurns + (onBudget === 'summarize' ? 1 : 0),
      );
      expect(model.requests.length, where).toBe(outcome.modelCalls);
      const starts = events.filter((event) => event.type === 'model-call-start');
      const ends = events.filter((event) => event.type === 'model-call-end');
      expect([starts.length, ends.length], where).toEqual([outcome.modelCalls, outcome.modelCalls]);
      const assistants = outcome.messages.filter((message) => message.role === 'assistant');
      expect([outcome.turns, outcome.tokens.length], where).toEqual([
        assistants.length,
        assistants.length,
      ]);
      expect(outcome.modelFailure !== null, where).toBe(
        outcome.exitReason === 'model_error' || outcome.exitReason === 'context_overflow',
      );
      expect(outcome.error !== null, where).toBe(
        outcome.exitReason === 'sandbox_unavailable' || outcome.exitReason === 'environment_error',
      );
      for (const stat of Object.values(outcome.toolStats)) {
        expect(stat.count, where).toBe(stat.success + stat.failure);
      }
    }
    // Else the script above would prove little.
    expect([...reached.keys()].sort()).toEqual(
      Object.keys(statusOfExit)
        .filter((reason) => reason !== 'cost_budget')
        .sort(),
    );
  });

  it('the system prompt has the same bytes on turn 1 and on turn 10', async () => {
    const { model } = await run((_request, call) => (call < 9 ? callEcho(call) : 'Done.'));
    const prompts = model.requests.map((request) => request.messages[0]?.content);
    expect(prompts).toHaveLength(10);
    expect(new Set(prompts).size).toBe(1);
  });

  it('every request that a model sees is a well-formed conversation', async () => {
    const { checkConversation } = await import('../../../src/messages/check-conversation.js');
    for (let seed = 0; seed < 200; seed += 1) {
      const random = seededRandom(seed);
      await run(
        (request) => {
          expect(checkConversation(request.messages), `seed ${seed}`).toEqual([]);
          return randomReply(random);
        },
        { config: { onBudget: 'summarize', maxTurns: 6, maxRepeatedCalls: 100 } },
      );
    }
  });

  it('a thousand agents at once do not see each other', async () => {
    const runs = await Promise.all(
      Array.from({ length: 1000 }, (_, agent) =>
        run((_request, call) => (call < 3 ? callEcho(`${agent}/${call}`, 'id') : `${agent}`), {
          clock: fakeClock(),
        }),
      ),
    );
    runs.forEach(({ outcome }, agent) => {
      const results = outcome.messages.flatMap((message) =>
        message.role === 'tool' ? [message.content] : [],
      );
      expect(results).toEqual([0, 1, 2].map((call) => `{"value":"${agent}/${call}"}`));
      expect(outcome.messages.at(-1)?.content).toBe(`${agent}`);
    });
  });
});

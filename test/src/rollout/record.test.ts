import { describe, expect, it } from 'vitest';
import { rollout } from '../../../environments/rollout.js';
import type { AssistantMessage, Message } from '../../../src/messages/message.js';
import { checkRecord } from '../../../src/rollout/check-record.js';
import { decodeRecord, encodeRecord } from '../../../src/rollout/encode-record.js';
import { reasoningTurns } from '../../../src/rollout/reasoning-turns.js';
import type { RolloutRecord } from '../../../src/rollout/record.js';
import { repairRecord } from '../../../src/rollout/repair-record.js';
import { aRollout } from '../../environments/rollout-harness.js';

const sound = await rollout(aRollout().input);
const assistant = (changes: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: 'assistant',
  content: '',
  reasoning: null,
  tool_calls: [],
  finish_reason: 'stop',
  model: 'm',
  ...changes,
});

describe('a record', () => {
  it('that is sound has no findings', () => {
    expect(checkRecord(sound)).toEqual([]);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const tokens = (ids: number[], logprobs: number[], turns = 1): RolloutRecord['tokens'] => ({
    source: 'engine',
    turns: Array.from({ length: turns }, () => ({
      prompt_ids: [1],
      completion_ids: ids,
      completion_logprobs: logprobs,
    })),
  });

  it.each<[string, Partial<RolloutRecord>, RegExp]>([
    ['a number that is not finite', { cost_usd: Number.NaN }, /record\.cost_usd is NaN/],
    ['an infinite reward', { reward: Number.POSITIVE_INFINITY }, /record\.reward is Infinity/],
    [
      'a lone surrogate in a message',
      { messages: [...sound.messages, assistant({ content: '\ud83d' })] },
      /record\.messages\[\d\]\.content is not well-formed/,
    ],
    [
      'a lone surrogate in a key',
      { annotations: { '\udc00': 1 } },
      /a key that is not well-formed/,
    ],
    ['a cycle', { annotations: cyclic as never }, /nested more than/],
    ['a big integer', { annotations: { n: 1n as never } }, /annotations\.n is of type bigint/],
    [
      'a call without an answer',
      {
        messages: [
          ...sound.messages,
          assistant({ tool_calls: [{ id: 'c', name: 'x', arguments: '{}' }] }),
        ],
      },
      /c/,
    ],
    [
      'token arrays of unequal lengths',
      { tokens: tokens([1, 2], [-1]) },
      /2 completion ids and 1 logprob$/m,
    ],
    [
      'tokens of more turns than it has',
      { tokens: tokens([1], [-1], 2) },
      /tokens of 2 turns for 1 assistant/,
    ],
    [
      'a log probability that is not finite',
      { tokens: tokens([1], [Number.NEGATIVE_INFINITY]) },
      /completion_logprobs\[0\] is -Infinity/,
    ],
  ])('with %s has a finding that says where', (_name, changes, finding) => {
    expect(checkRecord({ ...sound, ...changes }).join('\n')).toMatch(finding);
  });

  it('can be repaired well enough to be stored', () => {
    const broken = {
      ...sound,
      cost_usd: Number.NaN,
      annotations: { ...cyclic, text: '\ud800', n: 1n, none: undefined } as never,
    };
    const repaired = repairRecord(broken);
    expect(checkRecord(repaired)).toEqual([]);
    expect(repaired.cost_usd).toBe(0);
    expect(decodeRecord(encodeRecord(repaired))).toEqual(repaired);
  });

  it('comes back from its bytes as it was', () => {
    expect(decodeRecord(encodeRecord(sound))).toEqual(sound);
  });

  it.each(['asked', 'asked otherwise', ''])(
    'keeps the prompt %j beside what was said first',
    (prompt) => {
      const [system] = sound.messages;
      const said = { role: 'user', content: 'asked' } as const;
      const messages = system === undefined ? [] : [system, said];
      const record = { ...sound, task: { ...sound.task, prompt }, messages };
      expect(JSON.stringify(decodeRecord(encodeRecord(record)))).toBe(JSON.stringify(record));
    },
  );

  it('is encoded into bytes that can be transferred', () => {
    const bytes = encodeRecord(sound);
    expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
    const moved = structuredClone(bytes, { transfer: [bytes.buffer] });
    expect(decodeRecord(moved).task_key).toBe(sound.task_key);
    // Had it been a view of the shared pool, this would be lost as well.
    expect(Buffer.from('still here').toString()).toBe('still here');
  });

  it.each([
    ['no gzip', Buffer.from('{}')],
    ['another schema', Buffer.from(encodeRecord({ ...sound, schema: 'other' as never }))],
  ])('of %s is refused as damaged', (_name, bytes) => {
    expect(() => decodeRecord(bytes)).toThrow(expect.objectContaining({ code: 'run_damaged' }));
  });
});

describe('turns with reasoning', () => {
  it.each<[string, Partial<AssistantMessage>, number]>([
    ['in their own field', { reasoning: 'Hm.' }, 1],
    ['in a blank field', { reasoning: ' \n' }, 0],
    ['nowhere', { content: 'Hi.' }, 0],
    ['in a think block', { content: ' <think>Hm.</think>Hi.' }, 1],
    ['in a thinking block', { content: '<thinking>\nHm.\n</thinking>' }, 1],
    ['in a scratchpad', { content: '<REASONING_SCRATCHPAD>Hm.</REASONING_SCRATCHPAD>' }, 1],
    ['in an unfinished block', { content: '<think>Hm' }, 1],
    ['before a closing tag alone', { content: 'Hm.</think>Hi.' }, 1],
    ['in an empty block', { content: '<think>\n</think>Hi.' }, 0],
    ['before nothing', { content: ' </think>Hi.' }, 0],
    ['in a mention only', { content: 'Write `<think>` first.' }, 0],
    ['in a mention of both tags', { content: 'Use <think>x</think>.' }, 0],
  ])('%s', (_name, changes, expected) => {
    const messages: Message[] = [{ role: 'user', content: '<think>x</think>' }, assistant(changes)];
    expect(reasoningTurns(messages)).toEqual({ turns: 1, turns_with_reasoning: expected });
  });
});

import { describe, expect, it } from 'vitest';
import { JournaledModel } from '../../../runners/batch/journaled-model.js';
import type { JournalEntry } from '../../../runners/store/run-store.js';
import type { Message } from '../../../src/messages/message.js';
import type { Model, ModelReply, ModelRequest } from '../../../src/models/model.js';

const signal = new AbortController().signal;

function reply(content: string): ModelReply {
  return {
    content,
    reasoning: 'because',
    tool_calls: [],
    finish_reason: 'stop',
    usage: {
      prompt_tokens: 1,
      completion_tokens: 1,
      cached_tokens: 0,
      reasoning_tokens: 0,
      source: 'server',
    },
    model: 'm',
    seconds: 0.1,
    retries: 0,
  };
}

/** A paid model that counts its calls. */
function paidModel(): Model & { calls: number } {
  return {
    name: 'openai:m',
    calls: 0,
    async generate() {
      this.calls += 1;
      return { ok: true, reply: reply(`paid ${this.calls}`) };
    },
  };
}

const system: Message = { role: 'system', content: 'Be brief.' };
const user: Message = { role: 'user', content: 'Count the files.' };
const prompt = { text: 'Count the files.', key: 'key of the task' };
const assistant: Message = {
  role: 'assistant',
  content: '',
  reasoning: null,
  tool_calls: [{ id: 'call_1', name: 'terminal', arguments: '{"command":"ls | wc -l"}' }],
  finish_reason: 'tool_calls',
  model: 'm',
};

function toolResult(content: string): Message {
  return {
    role: 'tool',
    tool_call_id: 'call_1',
    name: 'terminal',
    content,
    status: 'ok',
    original_chars: content.length,
    tier: null,
    sha256: 'x',
    seconds: 0.01,
  };
}

const first: ModelRequest = { messages: [system, user], tools: [] };
const second = (result: string): ModelRequest => ({
  messages: [system, user, assistant, toolResult(result)],
  tools: [],
});

/** Asks two questions and returns what the journal then holds. */
async function record(): Promise<JournalEntry[]> {
  const journal: JournalEntry[] = [];
  const model = new JournaledModel({
    inner: paidModel(),
    journal: [],
    prompt,
    append: async (entry) => {
      journal.push(entry);
      return 'stored';
    },
  });
  await model.generate(first, signal);
  await model.generate(second('3'), signal);
  return journal;
}

describe('the turn journal', () => {
  it('answers a repeated rollout without a paid call, and marks the replies as replayed', async () => {
    const journal = await record();
    const inner = paidModel();
    const model = new JournaledModel({ inner, journal, prompt, append: async () => 'stored' });
    const answers = [
      await model.generate(first, signal),
      await model.generate(second('3'), signal),
    ];
    expect(inner.calls).toBe(0);
    expect(answers).toMatchObject([
      { ok: true, reply: { content: 'paid 1', replayed: true } },
      { ok: true, reply: { content: 'paid 2', replayed: true } },
    ]);
  });

  it('goes on with the real model where the journal ends', async () => {
    const journal = await record();
    const inner = paidModel();
    const added: number[] = [];
    const model = new JournaledModel({
      inner,
      journal: journal.slice(0, 1),
      prompt,
      append: async (entry) => {
        added.push(entry.sequence);
        return 'stored';
      },
    });
    await model.generate(first, signal);
    const answer = await model.generate(second('3'), signal);
    expect(answer).toMatchObject({ ok: true, reply: { content: 'paid 1' } });
    expect(inner.calls).toBe(1);
    expect(added).toEqual([1]);
  });

  it('gives its rollout up, as cancelled, when the reply cannot be stored', async () => {
    const append = () => Promise.reject(new Error('the disk is full'));
    const model = new JournaledModel({ inner: paidModel(), journal: [], prompt, append });
    const answer = await model.generate(first, signal);
    expect(answer).toMatchObject({ ok: false, failure: { class: 'cancelled' } });
  });

  it('does not answer when a command gave another result than the first time', async () => {
    const journal = await record();
    const inner = paidModel();
    const model = new JournaledModel({ inner, journal, prompt, append: async () => 'stored' });
    await model.generate(first, signal);
    const answer = await model.generate(second('4'), signal);
    expect(answer).toMatchObject({ ok: false, failure: { class: 'replay_diverged' } });
    expect(inner.calls).toBe(0);
  });

  it('does not answer when other tools are offered than the first time', async () => {
    const journal = await record();
    const inner = paidModel();
    const model = new JournaledModel({ inner, journal, prompt, append: async () => 'stored' });
    const tools = [{ name: 'todo', description: '', parameters: {} }];
    const answer = await model.generate({ ...first, tools }, signal);
    expect(answer).toMatchObject({ ok: false, failure: { class: 'replay_diverged' } });
  });

  it('gives a reply to the agent only after it is stored', async () => {
    const order: string[] = [];
    const model = new JournaledModel({
      inner: paidModel(),
      journal: [],
      prompt,
      append: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('stored');
        return 'stored';
      },
    });
    await model.generate(first, signal);
    order.push('seen');
    expect(order).toEqual(['stored', 'seen']);
  });

  it('withholds a reply when another worker holds the rollout', async () => {
    const model = new JournaledModel({
      inner: paidModel(),
      journal: [],
      prompt,
      append: async () => 'stale',
    });
    expect(await model.generate(first, signal)).toMatchObject({
      ok: false,
      failure: { class: 'cancelled' },
    });
  });
});

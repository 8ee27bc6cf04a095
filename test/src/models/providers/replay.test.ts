import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Message } from '../../../../src/messages/message.js';
import type { ModelRollout } from '../../../../src/models/model-provider.js';
import { assistant, failureOf, openTestModel, replyOf, request, task, user } from '../support.js';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function file(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'replay-'));
  folders.push(folder);
  const path = join(folder, 'turns.jsonl');
  await writeFile(path, text);
  return path;
}

const lines = (...values: readonly object[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
const never = new AbortController().signal;

async function open(text: string, rollout: Partial<ModelRollout> = {}) {
  const { model } = await openTestModel(
    { use: 'replay', replayPath: await file(text) },
    { rollout },
  );
  return (turns: number) =>
    model.generate(
      request(user('go'), ...Array.from({ length: turns }, (): Message => assistant())),
      never,
    );
}

const says = (content: string) => ({ turns: [{ content }] });
const contentOf = async (text: string, rollout: Partial<ModelRollout>) =>
  replyOf(await (await open(text, rollout))(0)).content;

test('turns are repeated in order, by how far the conversation has come', async () => {
  const turns = [
    {
      content: 'a',
      reasoning: 'why',
      tool_calls: [{ id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' }],
    },
    { content: 'b' },
  ];
  const say = await open(lines({ prompt: 'Do it.', turns }));
  expect(replyOf(await say(1))).toMatchObject({ content: 'b', finish_reason: 'stop' });
  expect(replyOf(await say(0))).toMatchObject({
    content: 'a',
    reasoning: 'why',
    finish_reason: 'tool_calls',
    tool_calls: [{ id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' }],
    usage: { prompt_tokens: 0, source: 'server' },
  });
});

test('after the last turn the recording is used up', async () => {
  const say = await open(lines({ prompt: 'Do it.', ...says('a') }));
  expect(failureOf(await say(1))).toMatchObject({ class: 'replay_exhausted', retryable: false });
});

test('a rollout that was not recorded fails and names the task', async () => {
  const failure = failureOf(await (await open(lines({ prompt: 'Other.', ...says('a') })))(0));
  expect(failure).toMatchObject({ class: 'replay_exhausted', retryable: false });
  expect(failure.message).toContain('task-1');
});

test('a record of this project is a recording', async () => {
  const record = {
    schema: 'talaria/record/1',
    task_key: 'k1',
    sample: 1,
    task: { prompt: 'Do it.' },
    messages: [
      { role: 'system', content: 's' },
      user('Do it.'),
      assistant({ content: 'done', finish_reason: 'length' }),
    ],
  };
  const say = await open(lines(record), { taskKey: 'k1', sample: 1 });
  expect(replyOf(await say(0))).toMatchObject({ content: 'done', finish_reason: 'length' });
});

test('the task key goes before the prompt, and the sample before its neighbours', async () => {
  const text = lines(
    { prompt: 'Do it.', ...says('by prompt') },
    { task_key: 'k1', sample: 1, ...says('second sample') },
    { task_key: 'k1', sample: 0, ...says('first sample') },
  );
  expect(await contentOf(text, { taskKey: 'k1', sample: 0 })).toBe('first sample');
  expect(await contentOf(text, { taskKey: 'k1', sample: 1 })).toBe('second sample');
  expect(
    await contentOf(text, { taskKey: 'k2', sample: 0, task: task({ prompt: ' Do it.\n' }) }),
  ).toBe('by prompt');
});

test('lines without a sample belong to the samples in their order, and a single one to all', async () => {
  const two = lines({ prompt: 'Do it.', ...says('a') }, { prompt: 'Do it.', ...says('b') });
  expect(await contentOf(two, { sample: 1 })).toBe('b');
  expect(failureOf(await (await open(two, { sample: 2 }))(0)).class).toBe('replay_exhausted');
  expect(await contentOf(lines({ prompt: 'Do it.', ...says('a') }), { sample: 7 })).toBe('a');
});

test('calls in the shape of OpenAI, with arguments as an object, are understood', async () => {
  const turns = [
    { tool_calls: [{ id: 'x', function: { name: 'terminal', arguments: { command: 'ls' } } }] },
  ];
  expect(replyOf(await (await open(lines({ prompt: 'Do it.', turns })))(0)).tool_calls).toEqual([
    { id: 'x', name: 'terminal', arguments: '{"command":"ls"}' },
  ]);
});

test('lines are found in a file of many long lines, with any characters and no line feed at the end', async () => {
  const filler = Array.from({ length: 40 }, (_, index) => ({
    prompt: `p${index}`,
    ...says(`${index} é\u2028${'日本'.repeat(20_000)}`),
  }));
  const text = `${lines(...filler)}\n${JSON.stringify({ prompt: 'last', ...says('z') })}`;
  const of = (prompt: string) => contentOf(text, { task: task({ prompt }) });
  expect(await of('p17')).toBe(filler[17]?.turns[0]?.content);
  expect(await of('p39')).toBe(filler[39]?.turns[0]?.content);
  expect(await of('last')).toBe('z');
});

test.each([
  [
    'a line that is no JSON',
    `${JSON.stringify({ prompt: 'a', turns: [] })}\n{"x"`,
    /line 2: not a recording/,
  ],
  ['a line without turns', '{"prompt":"a"}', /line 1.*prompt or task_key, turns/],
])('%s is an error that names it', async (_what, text, message) => {
  await expect(open(text)).rejects.toThrow(message);
});

test('a missing file, and a missing setting, are errors that say so', async () => {
  await expect(openTestModel({ use: 'replay', replayPath: '/nowhere/x.jsonl' })).rejects.toThrow(
    /nowhere\/x\.jsonl/,
  );
  await expect(openTestModel({ use: 'replay' })).rejects.toThrow(/replay_path/);
});

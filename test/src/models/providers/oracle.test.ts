import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Message } from '../../../../src/messages/message.js';
import {
  assistant,
  failureOf,
  openTestModel,
  replyOf,
  request,
  task,
  toolMessage,
  user,
} from '../support.js';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function solution(files: Record<string, string> | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oracle-'));
  folders.push(folder);
  if (files !== null) {
    await mkdir(join(folder, 'solution'));
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, 'solution', name), text);
    }
  }
  return folder;
}

const never = new AbortController().signal;

/** Plays the whole rollout; returns reasoning and command of each turn, and the last text. */
async function play(files: Record<string, string>, answer: string | null = null) {
  const folder = await solution(files);
  const { model } = await openTestModel(
    { use: 'oracle' },
    { rollout: { task: task({ folder, answer }) } },
  );
  const messages: Message[] = [user('go')];
  const turns: [string | null, string][] = [];
  for (;;) {
    const reply = replyOf(await model.generate(request(...messages), never));
    const [call, ...more] = reply.tool_calls;
    if (call === undefined) {
      return { turns, text: reply.content, usage: reply.usage };
    }
    expect(more).toEqual([]);
    expect(call.name).toBe('terminal');
    turns.push([reply.reasoning, JSON.parse(call.arguments).command]);
    const id = call.id ?? '';
    messages.push(assistant({ tool_calls: [{ ...call, id }] }), toolMessage(id, 'ok'));
  }
}

test('solve.sh is typed without its first line, and then the model is done', async () => {
  const { turns, text, usage } = await play({
    'solve.sh': '#!/bin/bash\nset -e\necho hi > out.txt\n',
  });
  expect(turns).toEqual([[null, 'set -e\necho hi > out.txt']]);
  expect(text).toBe('The task is done.');
  expect(usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, source: 'server' });
});

test('each script is a turn of its own, in the order of the names', async () => {
  const { turns } = await play({ '10.sh': 'ten', '2.sh': 'two', '1.sh': 'one', 'notes.txt': 'x' });
  expect(turns.map(([, command]) => command)).toEqual(['one', 'two', 'ten']);
});

test('the comment at the head of a script is its reasoning', async () => {
  const { turns } = await play({
    'solve.sh': '#!/bin/sh\n# First look,\n# then act.\n\nls # all\n# later\n',
  });
  expect(turns[0]?.[0]).toBe('First look,\nthen act.');
});

test('a rationale with a paragraph for each script is dealt out', async () => {
  const files = { '1.sh': 'one', '2.sh': '# own\ntwo', 'rationale.md': 'Because.\n\nTherefore.\n' };
  expect((await play(files)).turns.map(([reasoning]) => reasoning)).toEqual([
    'Because.',
    'Therefore.',
  ]);
});

test('any other rationale goes to the first script', async () => {
  const files = { '1.sh': 'one', '2.sh': '# own\ntwo', 'rationale.md': 'A.\n\nB.\n\nC.' };
  expect((await play(files)).turns.map(([reasoning]) => reasoning)).toEqual([
    'A.\n\nB.\n\nC.',
    'own',
  ]);
});

test('an answer in text is the final text', async () => {
  expect((await play({ 'solve.sh': 'true' }, '42')).text).toBe('42');
});

test.each([
  ['without a folder', 'none'],
  ['without a solution', 'bare'],
  ['with a solution of no script', 'empty'],
])('a task %s is a failure that no retry helps', async (_what, kind) => {
  const folder = kind === 'none' ? null : await solution(kind === 'bare' ? null : { 'a.txt': 'x' });
  const { model } = await openTestModel({ use: 'oracle' }, { rollout: { task: task({ folder }) } });
  const failure = failureOf(await model.generate(request(user('go')), never));
  expect(failure).toMatchObject({ class: 'bad_request', retryable: false });
  expect(failure.message).toContain('task-1');
  expect(failure.message).toContain('solution');
});

test('the terminal is required', async () => {
  const { model } = await openTestModel({ use: 'oracle' });
  expect(model.requiredTools).toEqual(['terminal']);
});

test('an aborted call is cancelled', async () => {
  const folder = await solution({ 'solve.sh': 'true' });
  const { model } = await openTestModel({ use: 'oracle' }, { rollout: { task: task({ folder }) } });
  const result = await model.generate(request(user('go')), AbortSignal.abort());
  expect(failureOf(result).class).toBe('cancelled');
});

import { expect, test } from 'vitest';
import { todo } from '../../../../src/tools/builtin/todo.js';
import { callTool } from '../helpers/call-tool.js';

const first = { id: '1', content: 'Look', status: 'in_progress' };
const second = { id: '2', content: 'Leap', status: 'pending' };

test('a list is written, read back, and lives in the state of its rollout alone', async () => {
  const state = new Map<string, unknown>();
  const written = await callTool(todo, { todos: [first, second] }, { state });
  const read = await callTool(todo, {}, { state });
  expect(read.value).toEqual({
    todos: [first, second],
    summary: { total: 2, pending: 1, in_progress: 1, completed: 0, cancelled: 0 },
  });
  expect(written.value).toEqual(read.value);
  expect((await callTool(todo, {})).value).toMatchObject({ todos: [], summary: { total: 0 } });
});

test('merge updates by id, keeps what it does not name, and adds new items at the end', async () => {
  const state = new Map<string, unknown>();
  await callTool(todo, { todos: [first, second] }, { state });
  const { value } = await callTool(
    todo,
    {
      merge: true,
      todos: [
        { id: '1', status: 'completed' },
        { id: '3', content: 'Land' },
      ],
    },
    { state },
  );
  expect(value['todos']).toEqual([
    { ...first, status: 'completed' },
    second,
    { id: '3', content: 'Land', status: 'pending' },
  ]);
});

test('without merge the list is replaced; of two items with one id the later counts', async () => {
  const state = new Map<string, unknown>();
  await callTool(todo, { todos: [first] }, { state });
  const { value } = await callTool(
    todo,
    { todos: [second, { ...second, content: 'Jump' }] },
    { state },
  );
  expect(value['todos']).toEqual([{ ...second, content: 'Jump' }]);
});

test('a new item without content changes nothing and says so', async () => {
  const state = new Map<string, unknown>();
  await callTool(todo, { todos: [first] }, { state });
  const { ok, value } = await callTool(
    todo,
    { merge: true, todos: [{ id: '1', status: 'completed' }, { id: '9' }] },
    { state },
  );
  expect(ok).toBe(false);
  expect(value['error']).toContain('"9"');
  expect((await callTool(todo, {}, { state })).value['todos']).toEqual([first]);
});

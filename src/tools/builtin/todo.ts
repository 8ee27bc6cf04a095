import { z } from 'zod';
import type { Tool } from '../tool.js';
import { answer, failure } from '../tool-answer.js';

const statuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const;

const item = z.strictObject({
  id: z.string().min(1).describe('Chosen by you; unique in the list.'),
  content: z.string().min(1).optional().describe('What is to be done. Needed for a new item.'),
  status: z.enum(statuses).optional().describe('Default for a new item: pending.'),
});

const parameters = z.strictObject({
  todos: z.array(item).optional().describe('The items to write. Leave out to read the list.'),
  merge: z
    .boolean()
    .default(false)
    .describe('true: update items by id and add new ones. false: replace the whole list.'),
});

/** One entry of the plan, as the model sees it. */
interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: (typeof statuses)[number];
}

/** The agent's own plan, kept for as long as the rollout lives. */
export const todo: Tool<typeof parameters> = {
  name: 'todo',
  toolset: 'todo',
  description: [
    'Keep a list of what is to be done in a task of several steps. Called without todos it shows the list.',
    'Have one item in_progress at a time, and mark an item completed as soon as it is.',
    'Returns JSON: todos, summary (counts by status).',
  ].join('\n'),
  parameters,
  effect: 'write',
  needsSandbox: false,
  async execute({ todos, merge }, { state }) {
    const current = (state.get('todo') as readonly TodoItem[] | undefined) ?? [];
    if (todos === undefined) {
      return report(current);
    }
    const list = new Map(merge ? current.map((entry) => [entry.id, entry]) : []);
    for (const { id, content, status } of todos) {
      const before = list.get(id);
      const text = content ?? before?.content;
      if (text === undefined) {
        return failure(`Item "${id}" is new and has no content. Nothing was changed.`);
      }
      list.set(id, { id, content: text, status: status ?? before?.status ?? 'pending' });
    }
    const next = [...list.values()];
    state.set('todo', next);
    return report(next);
  },
};

function report(list: readonly TodoItem[]) {
  const count = (status: TodoItem['status']) =>
    list.filter((entry) => entry.status === status).length;
  return answer({
    todos: list.map(({ id, content, status }) => ({ id, content, status })),
    summary: {
      total: list.length,
      ...Object.fromEntries(statuses.map((status) => [status, count(status)])),
    },
  });
}

import { expect, test } from 'vitest';
import type { Environment } from '../../../environments/environment.js';
import { planTasks } from '../../../runners/batch/plan-tasks.js';
import type { PlannedTask, RunStore } from '../../../runners/store/run-store.js';
import { promptTask } from '../store/run-fixture.js';

/** Plans these prompts with a limit. An Error among them is thrown when it is come to. */
async function planned(rows: readonly (string | Error)[], limit: number | null) {
  const environment: Environment = {
    name: 'test',
    async *tasks() {
      for (const row of rows) {
        if (row instanceof Error) {
          throw row;
        }
        yield promptTask(row).task;
      }
    },
  };
  const prompts: string[] = [];
  let complete = false;
  const store = {
    planned: async () => null,
    beginPlan: async () => undefined,
    async plan(tasks: readonly PlannedTask[]) {
      prompts.push(...tasks.map(({ task }) => task.prompt));
      return { added: tasks.length, merged: 0 };
    },
    async endPlan() {
      complete = true;
    },
  } as unknown as RunStore;
  await planTasks({
    environment,
    source: 'rows.jsonl',
    store,
    samples: 1,
    limit,
    signal: new AbortController().signal,
    now: () => 0,
    onGrown: () => undefined,
  });
  return { prompts, complete };
}

test('a limit counts tasks: a row that is merged with an earlier one takes no place', async () => {
  expect(await planned(['a', 'a', 'b', 'c'], 2)).toEqual({
    prompts: ['a', 'a', 'b'],
    complete: true,
  });
});

test('nothing behind the limit is read, so that it cannot fail', async () => {
  expect(await planned(['a', 'b', new Error('bad row')], 2)).toMatchObject({ complete: true });
  await expect(planned(['a', 'b', new Error('bad row')], 3)).rejects.toThrow('bad row');
});

test('a data set without a task is refused, with its name', async () => {
  await expect(planned([], null)).rejects.toThrow('There is no task in rows.jsonl.');
});

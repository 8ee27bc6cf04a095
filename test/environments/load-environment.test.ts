import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEnvironment } from '../../environments/load-environment.js';
import type { JsonObject } from '../../src/json.js';
import type { Task } from '../../src/rollout/task.js';
import { temporaryFolder } from '../helpers/temporary-folder.js';

async function openModule(
  source: string,
  options: JsonObject = {},
  onBadRow: 'error' | 'skip' = 'error',
) {
  const folder = await temporaryFolder({ 'mine.mjs': source });
  return await openEnvironment({
    kind: 'module',
    path: join(folder, 'mine.mjs'),
    onBadRow,
    options,
  });
}

async function all(environment: { tasks(): AsyncIterable<Task> }): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of environment.tasks()) {
    tasks.push(task);
  }
  return tasks;
}

describe("a user's module", () => {
  it('may export an object, whose tasks need nothing but a prompt', async () => {
    const environment = await openModule(`
      export const environment = {
        name: 'mine',
        greeting: 'Hi',
        async *tasks() { yield { prompt: this.greeting, files: { 'a.txt': 'x' }, answer: 4 }; },
        prompt(task) { return this.greeting + task.prompt; },
      };`);
    const [task] = await all(environment);
    expect(task).toMatchObject({ id: null, prompt: 'Hi', answer: 4, tags: [], folder: null });
    expect(task?.files[0]).toMatchObject({ path: 'a.txt', text: 'x', mode: 0o644 });
    expect(environment.prompt?.(task as Task)).toBe('HiHi');
    expect(environment.score).toBeUndefined();
  });

  it('may export a function of its options, also an async one', async () => {
    const environment = await openModule(
      `export const environment = async ({ count }) => ({
        name: 'counted',
        *tasks() { for (let i = 0; i < count; i++) yield { id: i, prompt: 'p' + i }; },
      });`,
      { count: 2 },
    );
    expect((await all(environment)).map((task) => task.id)).toEqual(['0', '1']);
  });

  it.each([
    ['export const environment = {};', /`environment\.name` .* must be text/],
    ['export const environment = { name: "x" };', /`environment\.tasks` .* must be a method/],
    [
      'export const environment = { name: "x", tasks() {}, score: 1 };',
      /`environment\.score` .* must be a method/,
    ],
    ['export const environment = 5;', /must be an object, not 5/],
    ['export const env = {};', /must export `environment`\. It exports env/],
    ['export default {};', /It exports default/],
    ['', /It exports nothing/],
    [
      'export const environment = () => { throw new Error("no key"); };',
      /could not be opened: no key/,
    ],
    ['throw new Error("at load");', /cannot be loaded: at load/],
    ['import "not-installed-package-x";', /cannot be loaded: .*not-installed-package-x/],
  ])('%s is refused with a usage error', async (source, message) => {
    await expect(openModule(source)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['yield { prompt: "" };', /task 1: `prompt` must not be empty/],
    ['yield { prompt: "a", promt: "b" };', /task 1: unknown key `promt`.*did you mean "prompt"/],
    ['yield { prompt: "a" }; yield 5;', /task 2: a task must be an object/],
    ['yield { prompt: "a" }; throw new Error("server is down");', /after task 1: server is down/],
    ['yield { prompt: "a", answer: 1 / 0 };', /task 1: `answer` is Infinity/],
    ['const m = {}; m.m = m; yield { prompt: "a", metadata: m };', /plain JSON \([^\n]*\)\.$/],
    [
      'let deep = []; for (let n = 0; n < 100; n++) deep = [deep]; yield { prompt: "a", answer: deep };',
      /task 1: `answer` is nested more than 64 levels deep/,
    ],
  ])('that does %s is a data set error that names the task', async (body, message) => {
    const environment = await openModule(
      `export const environment = { name: 'x', async *tasks() { ${body} } };`,
    );
    await expect(all(environment)).rejects.toMatchObject({
      code: 'data_set',
      message: expect.stringMatching(message),
    });
  });

  it('may have bad tasks left out and counted', async () => {
    const environment = await openModule(
      `export const environment = { name: 'x', *tasks() { yield {}; yield { prompt: 'a' }; } };`,
      {},
      'skip',
    );
    expect((await all(environment)).length).toBe(1);
    expect(environment.skippedRows?.()).toBe(1);
  });
});

describe('a kind', () => {
  it('that does not exist is an error with the nearest one', async () => {
    const config = { path: null, onBadRow: 'error', options: {} } as const;
    await expect(openEnvironment({ ...config, kind: 'promts' })).rejects.toThrow(
      /no environment of kind "promts"; did you mean "prompts"\?/,
    );
    await expect(openEnvironment({ ...config, kind: 'toString' })).rejects.toThrow(
      /no environment of kind/,
    );
    await expect(openEnvironment({ ...config, kind: 'module' })).rejects.toThrow(/needs the path/);
    await expect(openEnvironment({ ...config, kind: 'module', path: '/x/env.py' })).rejects.toThrow(
      /must be a \.js or \.mjs file/,
    );
  });
});

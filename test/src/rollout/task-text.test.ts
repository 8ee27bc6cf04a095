import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/rollout/task.js';
import { taskKey } from '../../../src/rollout/task-key.js';
import { decodeTask, EncodedPrompt, encodeTask } from '../../../src/rollout/task-text.js';

const task: Task = {
  id: 'a',
  prompt: ' two\nlines "and" \\ more ',
  image: null,
  cwd: null,
  files: [],
  setup: null,
  requires: [],
  folder: null,
  digest: null,
  agent_timeout_s: null,
  tests_timeout_s: null,
  tags: ['x\ny'],
  answer: null,
  metadata: { note: '\n' },
};

describe('the text of a task', () => {
  it('gives the task back, with its fields in their order', () => {
    const decoded = decodeTask(encodeTask(task));
    expect(decoded).toMatchObject({ ok: true, task });
    expect(decoded.ok && JSON.stringify(decoded.task)).toBe(JSON.stringify(task));
  });

  it.each([
    ['nothing', ''],
    ['one line', JSON.stringify(task)],
    ['a prompt that is no text', `7\n${JSON.stringify(task)}`],
    ['a second line that is no object', '"prompt"\n[]'],
    ['a cut second line', '"prompt"\n{"id":'],
  ])('with %s is refused', (_name, text) => {
    expect(decodeTask(text).ok).toBe(false);
  });

  it('has the same key, whether the prompt was encoded before or not', () => {
    for (const prompt of [task.prompt, 'no space around', '\n', 'é\u2028']) {
      const one = { ...task, prompt };
      expect(taskKey(one, JSON.stringify(prompt))).toBe(taskKey(one));
      expect(taskKey({ ...one, prompt: `${prompt} ` }, JSON.stringify(`${prompt} `))).toBe(
        taskKey(one),
      );
    }
  });
});

describe('an encoded prompt', () => {
  it('is handed out once, and for the prompt alone', () => {
    const encoded = new EncodedPrompt('a', '"a"');
    expect(encoded.take('b')).toBeNull();
    expect(encoded.take('a')).toBe('"a"');
    expect(encoded.take('a')).toBeNull();
  });
});

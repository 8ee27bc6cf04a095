import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../environments/environment.js';
import { dryRun } from '../../../runners/batch/dry-run.js';
import type { Task } from '../../../src/rollout/task.js';
import { resolveText, smallest } from '../config/config-fixture.js';

function task(prompt: string): Task {
  return {
    id: null,
    prompt,
    image: null,
    cwd: null,
    files: [],
    setup: null,
    requires: [],
    folder: null,
    digest: null,
    agent_timeout_s: null,
    tests_timeout_s: null,
    tags: [],
    answer: null,
    metadata: {},
  };
}

async function report(prompts: readonly string[], sets: readonly string[] = []) {
  const config = await resolveText(smallest, { sets });
  let read = 0;
  const environment: Environment = {
    name: 'prompts',
    async *tasks() {
      for (const prompt of prompts) {
        read++;
        yield task(prompt);
      }
    },
    skippedRows: () => 2,
    prompt: ({ prompt }) => `Please: ${prompt}`,
  };
  const catalog = {
    tools: new Map(),
    toolsets: new Map([
      ['terminal', []],
      ['file', []],
      ['todo', []],
    ]),
    schemas: new Map(),
  };
  const found = await dryRun(
    config,
    {},
    {
      openEnvironment: async () => environment,
      loadToolCatalog: async () => catalog,
    },
  );
  return { ...found, read };
}

describe('a dry run', () => {
  it('counts tasks times samples, merges rows that ask the same, and counts skipped ones', async () => {
    expect(await report(['a', 'b', ' a ', 'c', 'a'], ['run.samples=3'])).toMatchObject({
      tasks: 3,
      samples: 3,
      rollouts: 9,
      mergedRows: 2,
      skippedRows: 2,
    });
  });

  it('reads no further than the limit', async () => {
    const { tasks, read } = await report(['a', 'a', 'b', 'c', 'd', 'e'], ['run.limit=2']);
    expect({ tasks, read }).toEqual({ tasks: 2, read: 3 });
  });

  it('counts which toolsets would be offered', async () => {
    const { draws, drawnRollouts } = await report(['a', 'b'], ['toolsets.enabled=[file]']);
    expect(draws).toEqual([{ toolsets: ['file'], rollouts: 2 }]);
    expect(drawnRollouts).toBe(2);
  });

  it('shows the first request as the model would see it', async () => {
    const { first } = await report(['a', 'b'], ['agent.system_prompt=Be good.']);
    expect(first).toMatchObject({ system: 'Be good.', user: 'Please: a' });
  });

  it('refuses a data set without a task, as a run would', async () => {
    await expect(report([])).rejects.toMatchObject({
      code: 'data_set',
      message: expect.stringContaining('prompts.jsonl: 2 bad rows skipped, and no other'),
    });
  });
});

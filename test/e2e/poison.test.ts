import { describe, expect, it } from 'vitest';
import { type InlineRun, runInline } from '../../dist/testing/index.js';

/** An environment whose task number 500 does something to its worker. */
function poisonModule(poison: string): string {
  return `
export const environment = {
  name: 'poison',
  async *tasks() {
    for (let index = 0; index < 1000; index += 1) {
      yield { id: 'task-' + index, prompt: 'Task number ' + index };
    }
  },
  prompt(task) {
    if (task.id === 'task-500') {
      ${poison}
    }
    return task.prompt;
  },
};
`;
}

const config = `
environment: { module: ./poison.mjs }
model: { use: nop }
toolsets: { enabled: [todo] }
run: { concurrency: 64, threads: 2 }
`;

async function runWith(poison: string): Promise<InlineRun> {
  return runInline({
    files: { 'poison.mjs': poisonModule(poison), 'run.yaml': config },
    args: ['run', 'run.yaml', '--out', 'run'],
  });
}

/** Everyone but the culprit finished at the first attempt; returns the culprit's error, from the columns. */
async function expectOthersUnharmed(run: InlineRun): Promise<void> {
  const records = await run.records();
  const others = records.filter((record) => record.task.id !== 'task-500');
  expect(others).toHaveLength(999);
  expect(others.filter((record) => record.status !== 'completed')).toEqual([]);
  expect(others.filter((record) => record.attempt !== 1)).toEqual([]);
}

describe('a poison task among a thousand', () => {
  it('that ends its worker is put aside, and no other rollout is charged', async () => {
    const run = await runWith('process.exit(3);');
    await expectOthersUnharmed(run);
    expect(run.stats().byErrorClass).toEqual({ worker_crash: 1 });
    expect(run.exitCode).toBe(0);
    await run.remove();
  });

  it('that ends its worker later, from a timer, is found as well', async () => {
    const run = await runWith('setTimeout(() => process.exit(3), 5);');
    await expectOthersUnharmed(run);
    await run.remove();
  });

  it('that leaks a rejection fails alone', async () => {
    const run = await runWith("void Promise.reject(new Error('leaked on purpose'));");
    await expectOthersUnharmed(run);
    expect(run.stats().byErrorClass).toEqual({ stray_error: 1 });
    const culprit = (await run.records()).find((record) => record.task.id === 'task-500');
    expect(culprit).toMatchObject({ status: 'failed', error: { class: 'stray_error' } });
    expect(culprit?.error?.message).toContain('leaked on purpose');
    await run.remove();
  });

  it('that fills the memory is found and put aside, and the process lives on', async () => {
    const run = await runWith(
      'for (const all = []; ; ) { all.push(new Array(1e6).fill(all.length)); }',
    );
    await expectOthersUnharmed(run);
    expect(run.stats().byErrorClass).toEqual({ worker_crash: 1 });
    await run.remove();
  }, 120_000);

  it('that throws in a timer fails alone', async () => {
    const run = await runWith("setImmediate(() => { throw new Error('late'); });");
    await expectOthersUnharmed(run);
    await run.remove();
  });
});

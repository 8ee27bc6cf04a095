import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rollout } from '../../environments/rollout.js';
import { TalariaError } from '../../src/errors.js';
import type { VerifyMode } from '../../src/sandbox/sandbox.js';
import { temporaryFolder } from '../helpers/temporary-folder.js';
import { aCommand, anEnvironment, aRollout, type HarnessChanges } from './rollout-harness.js';

const toolsets = { distribution: null, enabled: ['terminal'], samplePer: 'rollout' } as const;
const answers = (command: string) => [aCommand(command), { content: 'Done.' }];

async function scored(
  files: { readonly [path: string]: string },
  changes: HarnessChanges & { readonly verify?: VerifyMode } = {},
) {
  const folder = await temporaryFolder(files);
  const harness = aRollout({
    replies: answers('echo 42 > answer.txt'),
    ...changes,
    config: { toolsets, verify: changes.verify ?? null, ...changes.config },
    task: { folder, ...changes.task },
  });
  return { ...harness, record: await rollout(harness.input) };
}

describe("the task's own tests", () => {
  it('are implied where no reward is configured, and see what the agent left', async () => {
    const { record, provider, events } = await scored({
      'tests/test.sh': 'grep -q 42 answer.txt && . "$TALARIA_TESTS/lib/more.sh"\n',
      'tests/lib/more.sh': 'echo checked\n',
    });
    expect(record).toMatchObject({
      status: 'completed',
      reward: 1,
      verify: 'snapshot',
      rewards: [{ name: 'tests', state: 'scored', value: 1, weight: 1, error: null }],
    });
    expect(record.rewards[0]?.explanation).toBe('exit code 0\nchecked');
    expect(provider.open.size).toBe(0);
    expect(events).toContainEqual({ type: 'reward-start', name: 'tests' });
    expect(events).toContainEqual({ type: 'reward-end', name: 'tests', state: 'scored', value: 1 });
  });

  it('run where the task has its directory, and so do its files and its setup', async () => {
    const { record } = await scored(
      { 'tests/test.sh': 'basename "$PWD"; ls; test -f in.txt -a -f setup.txt -a -f answer.txt\n' },
      {
        task: {
          cwd: 'app',
          setup: 'cp in.txt setup.txt',
          files: [{ path: 'in.txt', text: 'x', host_path: null, sha256: 's', mode: 0o644 }],
        },
      },
    );
    expect(record.rewards[0]?.explanation).toMatch(/^exit code 0\napp\n/);
  });

  it('score 0 when they fail, and show the end of what they wrote', async () => {
    const { record } = await scored({
      'tests/test.sh': 'echo first; echo "wanted 43" >&2; exit 3\n',
    });
    expect(record).toMatchObject({ status: 'completed', reward: 0 });
    expect(record.rewards[0]?.explanation).toBe('exit code 3\nfirst\nwanted 43');
  });

  it('are not in the sandbox while the agent works, nor left behind', async () => {
    const before = await testFolders();
    const { record } = await scored(
      { 'tests/test.sh': 'test -z "$(cat seen.txt)"\n', 'tests/secret.txt': 'x' },
      { replies: answers('find . -name "secret*" > seen.txt') },
    );
    expect(record.reward).toBe(1);
    expect(await testFolders()).toEqual(before);
  });

  it('do not trust anything that the agent wrote in their name', async () => {
    const { record } = await scored(
      { 'tests/test.sh': 'exit 1\n' },
      { replies: answers('mkdir tests; echo "exit 0" > tests/test.sh; echo 1 > reward.txt') },
    );
    expect(record.reward).toBe(0);
  });

  it('need no sandbox and no reward where the task has none', async () => {
    const { input, provider } = aRollout();
    const record = await rollout(input);
    expect(provider.specs).toEqual([]);
    expect(record).toMatchObject({
      reward: null,
      verify: null,
      rewards: [{ name: 'tests', state: 'not_applicable', value: null }],
    });
  });

  it('make a sandbox on their own where no tool needs one', async () => {
    const { record, provider } = await scored(
      { 'tests/test.sh': 'exit 0\n' },
      { config: { toolsets: { ...toolsets, enabled: [] } }, replies: [{ content: 'Done.' }] },
    );
    expect([record.reward, provider.specs.length]).toEqual([1, 1]);
  });

  it('without test.sh are a failure to score and not a 0', async () => {
    const { record } = await scored({ 'tests/run.sh': 'exit 0\n' });
    expect(record).toMatchObject({ reward: null, rewards: [{ state: 'failed', value: null }] });
    expect(record.rewards[0]?.error).toContain('test.sh is missing');
  });

  it('that outlast the time of the task score 0', async () => {
    const { record } = await scored(
      { 'tests/test.sh': 'echo begun; sleep 20\n' },
      { task: { tests_timeout_s: 0.3 } },
    );
    expect(record.reward).toBe(0);
    expect(record.rewards[0]?.explanation).toContain("the task's 0.3 s");
    expect(record.rewards[0]?.explanation).toContain('begun');
  });

  it('that outlast our own limit are a failure to score', async () => {
    const { record, provider } = await scored(
      { 'tests/test.sh': 'sleep 20\n' },
      { config: { rewardTimeoutMs: 300 } },
    );
    expect(record).toMatchObject({ reward: null, rewards: [{ state: 'failed', value: null }] });
    expect(provider.open.size).toBe(0);
  });
});

describe('where a rollout is scored', () => {
  const look = { 'tests/test.sh': 'test -f answer.txt; echo "answer: $?"; test -f given.txt\n' };
  const given = {
    files: [{ path: 'given.txt', text: 'g', host_path: null, sha256: 's', mode: 0o644 }],
  };

  it.each<[VerifyMode, string]>([
    ['same', 'answer: 0'],
    ['snapshot', 'answer: 0'],
    ['fresh', 'answer: 1'],
  ])('can be set: %s has %s, and the files of the task', async (verify, seen) => {
    const { record, provider } = await scored(look, { verify, task: given });
    expect(record).toMatchObject({ verify, reward: 1 });
    expect(record.rewards[0]?.explanation).toContain(seen);
    expect(provider.verified).toEqual([verify]);
    expect(provider.open.size).toBe(0);
  });

  it('is never another mode than the one that was asked for: a failure is not a 0', async () => {
    const harness = aRollout({
      config: { toolsets, verify: 'snapshot' },
      task: { folder: await temporaryFolder(look) },
      replies: answers('true'),
    });
    const create = harness.provider.create.bind(harness.provider);
    harness.provider.create = async (spec) => ({
      ...(await create(spec)),
      verifier: async () => {
        throw new TalariaError({ code: 'sandbox_unavailable', message: 'no overlay here.' });
      },
    });
    const record = await rollout(harness.input);
    expect(record).toMatchObject({
      status: 'completed',
      reward: null,
      verify: null,
      rewards: [{ state: 'failed', value: null }],
    });
    expect(record.rewards[0]?.error).toMatch(
      /verify: snapshot\): no overlay here\. .*fresh and same/,
    );
  });

  it('fails to be ready when the setup of a fresh sandbox fails, and leaves nothing open', async () => {
    let setups = 0;
    const { record, provider } = await scored(look, {
      verify: 'fresh',
      environment: anEnvironment({
        setup: async () => {
          if (setups++ > 0) {
            throw new Error('mirror is down');
          }
        },
      }),
    });
    expect(record.rewards[0]).toMatchObject({ state: 'failed', value: null });
    expect(record.rewards[0]?.error).toContain('mirror is down');
    expect(provider.open.size).toBe(0);
  });
});

describe('the scoring of an environment', () => {
  it('is a reward of its name beside the configured ones, with a sandbox of its own', async () => {
    const { record, provider } = await scored(
      { 'tests/test.sh': 'rm answer.txt\n' },
      {
        environment: anEnvironment({
          name: 'quiz',
          score: async ({ finalAnswer, exitReason }, { sandbox, cwd }) => {
            const answer = await sandbox.read(`${cwd}/answer.txt`);
            return { value: answer?.length ?? -1, explanation: `${finalAnswer} ${exitReason}` };
          },
        }),
      },
    );
    expect(record.rewards.map(({ name, value }) => [name, value])).toEqual([
      ['tests', 1],
      ['quiz', 3],
    ]);
    expect(record.rewards[1]?.explanation).toBe('Done. finished');
    expect(record.reward).toBe(2);
    expect(provider.verified).toEqual(['snapshot', 'snapshot']);
  });

  it('says what to do when it looks into a sandbox that it did not ask for', async () => {
    const { input } = aRollout({
      environment: anEnvironment({
        score: async (_rollout, { sandbox }) => ({ value: sandbox.home.length }),
      }),
    });
    const record = await rollout(input);
    expect(record.reward).toBeNull();
    expect(record.rewards[1]?.error).toContain('eeds');
  });
});

async function testFolders(): Promise<string[]> {
  return (await readdir(join('/tmp'))).filter((name) => name.startsWith('talaria-tests.'));
}

import { describe, expect, it } from 'vitest';
import { rollout } from '../../environments/rollout.js';
import type { RolloutConfig } from '../../environments/rollout-config.js';
import { TalariaError } from '../../src/errors.js';
import { sha256 } from '../../src/hash.js';
import { checkRecord } from '../../src/rollout/check-record.js';
import type { Sandbox, SandboxProvider } from '../../src/sandbox/sandbox.js';
import { HostSandboxProvider } from '../helpers/host-sandbox.js';
import {
  aCommand,
  aFailure,
  anEnvironment,
  aReply,
  aRollout,
  type HarnessChanges,
  scriptedModel,
} from './rollout-harness.js';

const terminal: RolloutConfig['toolsets'] = {
  distribution: null,
  enabled: ['terminal'],
  samplePer: 'rollout',
};
const forever = () => new Promise<never>(() => {});
const textFile = (path: string, text: string) => ({
  path,
  text,
  host_path: null,
  sha256: sha256(text),
  mode: 0o644,
});

describe('a rollout that goes well', () => {
  it('records the conversation, the offer, usage, cost and events', async () => {
    const { input, events, provider } = aRollout({
      config: { toolsets: terminal, price: { prompt: 1, cached: 0.5, completion: 2 } },
      task: { id: 'a', tags: ['x'], answer: { n: 1 }, metadata: { k: [1] } },
      replies: [aCommand('echo hi > out.txt; cat out.txt'), { content: 'Done.' }],
    });
    const record = await rollout(input);
    expect(record).toMatchObject({
      schema: 'talaria/record/1',
      status: 'completed',
      exit_reason: 'finished',
      error: null,
      toolsets: ['terminal'],
      turns: 2,
      sandbox: { kind: 'host', image: null },
      task: { id: 'a', tags: ['x'], answer: { n: 1 }, metadata: { k: [1] } },
      tool_stats: { terminal: { count: 1, success: 1, failure: 0 } },
      usage: { prompt_tokens: 200, completion_tokens: 20, source: 'server' },
    });
    expect(record.messages.find((message) => message.role === 'tool')?.content).toBe('hi\n');
    expect(record.tools.map((tool) => tool.name)).toEqual(['terminal']);
    expect(record.cost_usd).toBeGreaterThan(0);
    expect(checkRecord(record)).toEqual([]);
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['rollout-start', 'sandbox-start', 'sandbox-end', 'rollout-end']),
    );
    expect(provider.open.size).toBe(0);
  });

  it('makes no sandbox when nothing needs one', async () => {
    const { input, provider, events } = aRollout({
      config: { toolsets: { ...terminal, enabled: ['clock'] } },
    });
    const record = await rollout(input);
    expect(record.status).toBe('completed');
    expect(record.sandbox).toBeNull();
    expect(provider.specs).toEqual([]);
    expect(events.some((event) => event.type === 'sandbox-start')).toBe(false);
  });

  it('puts files, then the setup of the environment, then runs the setup commands', async () => {
    const { input } = aRollout({
      config: { toolsets: terminal },
      task: {
        files: [textFile('data/in.txt', 'file')],
        requires: ['sh', 'cat'],
        setup: 'cat data/in.txt made.txt > all.txt\ncd data\nset -u',
      },
      environment: anEnvironment({
        setup: async (_task, { sandbox }) => {
          const content = await sandbox.read('data/in.txt');
          await sandbox.write('made.txt', `+${content?.length}`);
        },
        prompt: (task) => `${task.prompt} Please.`,
      }),
      replies: [aCommand('cat all.txt'), { content: 'Done.' }],
    });
    const record = await rollout(input);
    expect(record.messages.find((message) => message.role === 'tool')?.content).toBe('file+4');
    expect(record.messages.find((message) => message.role === 'user')?.content).toBe(
      'Say hello. Please.',
    );
  });

  it('adds the tools that the model needs to whatever was drawn', async () => {
    const { input } = aRollout({ model: scriptedModel([{ content: 'x' }], ['terminal']) });
    const record = await rollout(input);
    expect(record.tools.map((tool) => tool.name)).toEqual(['terminal']);
    expect(record.toolsets).toEqual([]);
  });

  it('keeps token ids only when they are asked for', async () => {
    const tokens = { prompt_ids: [1], completion_ids: [2, 3], completion_logprobs: [-1, -2] };
    const replies = [{ content: 'a', tokens }];
    const records = { requireReasoning: 'tag', recordTokens: true } as const;
    expect((await rollout(aRollout({ replies, config: { records } }).input)).tokens).toEqual({
      source: 'engine',
      turns: [tokens],
    });
    expect((await rollout(aRollout({ replies }).input)).tokens).toBeNull();
    expect((await rollout(aRollout({ config: { records } }).input)).tokens).toBeNull();
  });

  it('survives an observer that throws', async () => {
    const { input } = aRollout({
      emit: () => {
        throw new Error('observer');
      },
    });
    expect((await rollout(input)).status).toBe('completed');
  });
});

describe('a rollout that cannot be prepared', () => {
  const unavailable = () => {
    throw new TalariaError({ code: 'sandbox_unavailable', message: 'no daemon' });
  };
  const broken = (changes: Partial<SandboxProvider>): HarnessChanges => {
    const provider = new HostSandboxProvider();
    return {
      config: { toolsets: terminal },
      sandboxFor: async () =>
        ({
          kind: 'broken',
          description: '',
          probe: () => provider.probe(),
          sweep: () => provider.sweep(),
          create: (spec) => provider.create(spec),
          ...changes,
        }) satisfies SandboxProvider,
    };
  };

  it.each<[string, HarnessChanges, string, string, string]>([
    [
      'there is no provider',
      { config: { toolsets: terminal }, sandboxFor: async () => unavailable() },
      'sandbox_unavailable',
      'sandbox_unavailable',
      'no daemon',
    ],
    [
      'the sandbox cannot be made',
      broken({ create: async () => unavailable() }),
      'sandbox_unavailable',
      'sandbox_unavailable',
      'no daemon',
    ],
    [
      'a required program is missing',
      { task: { requires: ['sh', 'no-such-program-x'] } },
      'environment_error',
      'environment_error',
      'no-such-program-x',
    ],
    [
      'a setup command fails',
      { task: { setup: 'echo one\necho "cannot fetch" >&2\nfalse\necho never' } },
      'environment_error',
      'environment_error',
      'exit code 1: one\ncannot fetch',
    ],
    [
      'a file of the host has changed since',
      {
        task: {
          files: [{ path: 'a', text: null, host_path: '/etc/hosts', sha256: 'other', mode: 0o644 }],
        },
      },
      'environment_error',
      'environment_error',
      'has changed since this run was planned',
    ],
    [
      'a file of the host is gone',
      {
        task: {
          files: [{ path: 'a', text: null, host_path: '/no/such', sha256: 'x', mode: 0o644 }],
        },
      },
      'environment_error',
      'environment_error',
      'is gone',
    ],
    [
      'the setup of the environment throws',
      {
        environment: anEnvironment({
          setup: () => {
            throw new Error('no seed data');
          },
        }),
      },
      'environment_error',
      'environment_error',
      'no seed data',
    ],
    [
      'the prompt of the environment throws',
      {
        environment: anEnvironment({
          prompt: () => {
            throw new Error('no template');
          },
        }),
      },
      'environment_error',
      'environment_error',
      'no template',
    ],
    [
      'a tool that the model needs does not exist',
      { model: scriptedModel([], ['browser']) },
      'environment_error',
      'environment_error',
      'browser',
    ],
  ])('is a retryable failure without a model call or a reward when %s', async (...row) => {
    const [, changes, exitReason, errorClass, message] = row;
    const { input, model, provider } = aRollout(changes);
    const record = await rollout({
      ...input,
      environment: { ...input.environment, score: async () => ({ value: 1 }) },
    });
    expect(record).toMatchObject({
      status: 'failed',
      exit_reason: exitReason,
      error: { class: errorClass, retryable: true },
      rewards: [],
      reward: null,
      verify: null,
      messages: [],
      usage: { model_calls: 0, source: 'none' },
    });
    expect(record.error?.message).toContain(message);
    expect(model.calls).toBe(0);
    expect(provider.open.size).toBe(0);
    expect(checkRecord(record)).toEqual([]);
  });
});

describe('a rollout whose model or sandbox fails', () => {
  it.each([
    ['rate_limit', true],
    ['auth', false],
    ['replay_diverged', false],
  ] as const)(
    'records the model failure %s with its class and scores nothing',
    async (failureClass, retryable) => {
      const { input, provider } = aRollout({
        config: { toolsets: terminal },
        environment: anEnvironment({ score: async () => ({ value: 1 }) }),
        replies: [aCommand('true'), aFailure(failureClass, { retryable })],
        wastedCalls: 3,
      });
      const record = await rollout(input);
      expect(record).toMatchObject({
        status: 'failed',
        exit_reason: 'model_error',
        error: { class: failureClass, retryable, message: `failed: ${failureClass}` },
        rewards: [],
        reward: null,
        usage: { wasted_calls: 3 },
      });
      expect(provider.open.size).toBe(0);
    },
  );

  it('scores a truncated rollout', async () => {
    const { input } = aRollout({
      environment: anEnvironment({ score: async () => ({ value: 0.5 }) }),
      replies: [
        aReply({
          tool_calls: [{ id: null, name: 'missing', arguments: '{}' }],
          finish_reason: 'tool_calls',
        }),
        aFailure('context_overflow'),
      ],
    });
    expect(await rollout(input)).toMatchObject({
      status: 'truncated',
      exit_reason: 'context_overflow',
      error: null,
      reward: 0.5,
    });
  });

  it('is an unavailable sandbox when the sandbox dies under the agent', async () => {
    const provider = new HostSandboxProvider();
    const { input } = aRollout({
      config: { toolsets: terminal },
      sandboxFor: async () => provider,
      replies: [aCommand('true'), { content: 'never' }],
    });
    const create = provider.create.bind(provider);
    provider.create = async (spec) => {
      const sandbox = await create(spec);
      const exec = async () => {
        throw new TalariaError({ code: 'sandbox_unavailable', message: 'container is gone' });
      };
      return { ...sandbox, session: { ...sandbox.session, exec } };
    };
    const record = await rollout(input);
    expect(record).toMatchObject({
      status: 'failed',
      exit_reason: 'sandbox_unavailable',
      error: { class: 'sandbox_unavailable', retryable: true },
      reward: null,
    });
    expect(record.error?.message).toContain('container is gone');
    expect(provider.open.size).toBe(0);
  });

  it('becomes an internal failure when a record would be unsound', async () => {
    const { input } = aRollout({ task: { metadata: { bad: '\ud800', nan: Number.NaN } } });
    const record = await rollout(input);
    expect(record).toMatchObject({
      status: 'failed',
      error: { class: 'internal', retryable: false },
      reward: null,
    });
    expect(record.error?.message).toContain('task.metadata.bad');
    expect(checkRecord(record)).toEqual([]);
  });

  it('becomes an internal failure when a model throws against its contract', async () => {
    const { input } = aRollout({
      model: {
        name: 'fake:model',
        get requiredTools(): readonly string[] {
          throw new Error('a bug');
        },
        generate: forever,
      },
    });
    expect(await rollout(input)).toMatchObject({
      status: 'failed',
      error: { class: 'internal', message: 'a bug', retryable: false },
    });
  });
});

describe('a rollout without reasoning', () => {
  const replies = [{ content: 'Hello.' }];
  const scored = anEnvironment({ score: async () => ({ value: 1 }) });
  const policy = (requireReasoning: 'discard' | 'tag' | 'off') => ({
    records: { requireReasoning, recordTokens: false },
  });

  it('is discarded with a reason, kept in full, and not scored', async () => {
    const record = await rollout(
      aRollout({ replies, environment: scored, config: policy('discard') }).input,
    );
    expect(record).toMatchObject({
      status: 'discarded',
      exit_reason: 'finished',
      discard_reason: 'no_reasoning',
      error: null,
      rewards: [],
      reward: null,
    });
    expect(record.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello.' });
  });

  it('is tagged and scored', async () => {
    expect(
      await rollout(aRollout({ replies, environment: scored, config: policy('tag') }).input),
    ).toMatchObject({ status: 'completed', annotations: { no_reasoning: true }, reward: 1 });
  });

  it('is left alone when the policy is off, or when any turn has reasoning', async () => {
    const off = await rollout(aRollout({ replies, config: policy('off') }).input);
    const inline = await rollout(
      aRollout({
        replies: [{ content: '<think>Hm.</think>Hello.' }],
        config: policy('discard'),
      }).input,
    );
    expect([off.status, off.annotations]).toEqual(['completed', {}]);
    expect([inline.status, inline.annotations]).toEqual(['completed', {}]);
  });

  it('stays failed when it failed', async () => {
    const record = await rollout(
      aRollout({ replies: [aFailure('auth')], config: policy('discard') }).input,
    );
    expect([record.status, record.discard_reason]).toEqual(['failed', null]);
  });
});

describe('a cancelled rollout', () => {
  it('never starts when it was cancelled before', async () => {
    const { input, model, provider } = aRollout({
      config: { toolsets: terminal },
      signal: AbortSignal.abort(),
    });
    expect(await rollout(input)).toMatchObject({ status: 'cancelled', error: null, reward: null });
    expect([model.calls, provider.specs.length]).toEqual([0, 0]);
  });

  it('that is past its wall limit ends by its deadline, which no later start repeats', async () => {
    const { input } = aRollout({
      config: { toolsets: terminal },
      signal: AbortSignal.abort('deadline'),
    });
    expect(await rollout(input)).toMatchObject({ status: 'truncated', exit_reason: 'deadline' });
  });

  it('does not wait for a sandbox that hangs, and closes it when it comes after all', async () => {
    const controller = new AbortController();
    const host = new HostSandboxProvider();
    let release: (sandbox: Sandbox) => void = () => {};
    let closed: () => void = () => {};
    const lateClose = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { input, events } = aRollout({
      config: { toolsets: terminal },
      signal: controller.signal,
    });
    const running = rollout({
      ...input,
      sandboxFor: async () => ({
        kind: 'slow',
        description: '',
        probe: () => host.probe(),
        sweep: () => host.sweep(),
        create: () => {
          queueMicrotask(() => controller.abort());
          return new Promise<Sandbox>((resolve) => {
            release = resolve;
          });
        },
      }),
    });
    expect(await running).toMatchObject({ status: 'cancelled', sandbox: null });
    expect(events.at(-2)).toMatchObject({ type: 'sandbox-end' });
    const late = await host.create({ ...specOf(input.config), cwd: null });
    release({
      ...late,
      close: async () => {
        await late.close();
        closed();
      },
    });
    await lateClose;
    expect(host.open.size).toBe(0);
  });

  it.each<[string, (abort: () => void) => HarnessChanges]>([
    [
      'its provider is looked for',
      (abort) => ({
        config: { toolsets: terminal },
        sandboxFor: () => {
          abort();
          return forever();
        },
      }),
    ],
    [
      'its environment prepares the sandbox',
      (abort) => ({
        environment: anEnvironment({
          setup: () => {
            abort();
            return forever();
          },
        }),
      }),
    ],
    [
      'its model answers',
      (abort) => ({
        model: {
          name: 'fake:model',
          generate: async () => {
            abort();
            return { ok: false, failure: aFailure('cancelled') };
          },
        },
      }),
    ],
    [
      'it is being scored',
      (abort) => ({
        environment: anEnvironment({
          scoreNeedsSandbox: true,
          score: () => {
            abort();
            return forever();
          },
        }),
      }),
    ],
  ])(
    'ends at once, without a reward and with nothing left open, while %s',
    async (_name, changes) => {
      const controller = new AbortController();
      const { input, provider } = aRollout({
        ...changes(() => controller.abort()),
        signal: controller.signal,
      });
      expect(await rollout(input)).toMatchObject({
        status: 'cancelled',
        exit_reason: 'cancelled',
        error: null,
        rewards: [],
        reward: null,
      });
      expect(provider.open.size).toBe(0);
    },
  );

  it('says in the record that its sandbox could not be closed', async () => {
    const { input, provider } = aRollout({ config: { toolsets: terminal } });
    const create = provider.create.bind(provider);
    provider.create = async (spec) => {
      const sandbox = await create(spec);
      const close = async () => {
        await sandbox.close();
        throw new Error('engine does not answer');
      };
      return { ...sandbox, close };
    };
    const record = await rollout(input);
    expect(record).toMatchObject({
      status: 'completed',
      annotations: { sandbox_not_closed: 'engine does not answer' },
    });
  });
});

describe('the draw of toolsets', () => {
  const distribution = {
    name: 'half',
    description: '',
    toolsets: [
      ['terminal', 50],
      ['clock', 50],
      ['gone', 50],
    ],
  } as const;
  const draw = async (sample: number, samplePer: 'rollout' | 'task', attempt = 1) => {
    const { input } = aRollout({
      config: { toolsets: { distribution, enabled: null, samplePer } },
      sample,
      attempt,
    });
    const { toolsets, toolsets_skipped } = await rollout(input);
    return JSON.stringify([toolsets, toolsets_skipped]);
  };
  const samples = [0, 1, 2, 3, 4, 5, 6, 7];

  it('depends on the sample and not on order or attempt', async () => {
    const forwards = await Promise.all(samples.map((sample) => draw(sample, 'rollout')));
    const backwards = await Promise.all(
      [...samples].reverse().map((sample) => draw(sample, 'rollout', 2)),
    );
    expect(backwards.reverse()).toEqual(forwards);
    expect(new Set(forwards).size).toBeGreaterThan(1);
  });

  it('is shared by all samples of a task where it is drawn per task', async () => {
    const draws = await Promise.all(samples.map((sample) => draw(sample, 'task')));
    expect(new Set(draws).size).toBe(1);
  });

  it('names enabled toolsets that do not exist', async () => {
    const { input } = aRollout({
      config: { toolsets: { ...terminal, enabled: ['clok', 'clock'] } },
    });
    expect(await rollout(input)).toMatchObject({
      toolsets: ['clock'],
      toolsets_skipped: ['clok'],
    });
  });
});

function specOf({ owner, sandbox }: RolloutConfig) {
  const { kind: _kind, trust: _trust, ...spec } = sandbox;
  return { ...spec, owner };
}

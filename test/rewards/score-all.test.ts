import { describe, expect, it } from 'vitest';
import type { LoadedReward } from '../../rewards/load-rewards.js';
import type { RewardFunction } from '../../rewards/reward-function.js';
import { type ScoreInput, scoreAll } from '../../rewards/score-all.js';
import { systemClock } from '../../src/clock.js';
import { TalariaError } from '../../src/errors.js';
import type { RolloutEventBody } from '../../src/rollout/event.js';
import { totalReward } from '../../src/rollout/reward.js';
import type { SandboxSession } from '../../src/sandbox/sandbox.js';
import { aTask } from '../environments/rollout-harness.js';

const forever = () => new Promise<never>(() => {});

function loaded(score: unknown, changes: Partial<RewardFunction> = {}, weight = 1): LoadedReward {
  return {
    config: { use: 'mine', weight, options: { level: 3 } },
    reward: {
      name: 'mine',
      description: '',
      needsSandbox: false,
      score: score as RewardFunction['score'],
      ...changes,
    },
  };
}

function scoreWith(rewards: readonly LoadedReward[], changes: Partial<ScoreInput> = {}) {
  return scoreAll({
    rewards,
    rollout: {
      task: aTask(),
      taskKey: 'k',
      sample: 0,
      messages: [],
      exitReason: 'finished',
      finalAnswer: '',
    },
    timeoutMs: 10_000,
    openSandbox: forever,
    signal: new AbortController().signal,
    clock: systemClock,
    emit: () => {},
    ...changes,
  });
}

describe('a reward', () => {
  it.each<[string, unknown, object]>([
    [
      'a score',
      { value: 0.5, metrics: { a: 1 }, explanation: 'so' },
      { state: 'scored', value: 0.5, metrics: { a: 1 }, explanation: 'so', error: null },
    ],
    ['a bare number', 2, { state: 'scored', value: 2, metrics: {}, explanation: null }],
    ['null', null, { state: 'not_applicable', value: null, error: null }],
    [
      'a null value',
      { value: null, explanation: 'n/a' },
      { state: 'not_applicable', value: null, explanation: 'n/a' },
    ],
    [
      'NaN',
      { value: Number.NaN },
      { state: 'failed', value: null, error: expect.stringContaining('NaN') },
    ],
    ['Infinity', Number.POSITIVE_INFINITY, { state: 'failed', value: null }],
    [
      'a number that no sum can take',
      { value: -1.7e308 },
      { state: 'failed', value: null, error: expect.stringContaining('-1.7e+308') },
    ],
    ['the largest number', 1e100, { state: 'scored', value: 1e100 }],
    [
      'nothing',
      undefined,
      { state: 'failed', value: null, error: expect.stringContaining('undefined') },
    ],
    ['true', true, { state: 'failed', value: null }],
    ['text', { value: '1' }, { state: 'failed', value: null }],
    ['a list', [1], { state: 'failed', value: null }],
    [
      'a metric that is no number',
      { value: 1, metrics: { a: Number.NaN } },
      { state: 'failed', value: null, error: expect.stringContaining('metric a') },
    ],
    [
      'broken Unicode',
      { value: 1, explanation: 'x\ud800' },
      { state: 'scored', explanation: 'x\uFFFD' },
    ],
  ])('that returns %s', async (_name, returned, expected) => {
    expect(await scoreWith([loaded(async () => returned)])).toMatchObject([expected]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no judge');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no judge');
      },
    ],
    [
      'rejects as users do',
      async () => {
        throw new TalariaError({ code: 'usage', message: 'no judge' });
      },
    ],
  ])('that %s is failed and never a 0, and the next one is asked', async (_name, score) => {
    const outcomes = await scoreWith([loaded(score), loaded(async () => 1)]);
    expect(outcomes).toMatchObject([
      { state: 'failed', value: null, error: 'no judge' },
      { state: 'scored', value: 1 },
    ]);
    expect(totalReward(outcomes)).toBeNull();
  });

  it('that hangs is failed after its own time, its signal aborted and its sandbox closed', async () => {
    let closed = 0;
    let aborted = false;
    const score: RewardFunction['score'] = (_rollout, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return forever();
    };
    const outcomes = await scoreWith(
      [loaded(score, { needsSandbox: true }), loaded(async () => 1)],
      { timeoutMs: 20, openSandbox: async () => sandboxOf(() => closed++) },
    );
    expect(outcomes).toMatchObject([
      { state: 'failed', error: 'Did not end within its 0.02 s.' },
      { state: 'scored', value: 1 },
    ]);
    expect([closed, aborted]).toEqual([1, true]);
  });

  it('whose sandbox comes too late is failed, and the sandbox is closed', async () => {
    let late: (sandbox: ReturnType<typeof sandboxOf>) => void = () => {};
    const outcomes = await scoreWith([loaded(async () => 1, { needsSandbox: true })], {
      timeoutMs: 20,
      openSandbox: () =>
        new Promise((resolve) => {
          late = resolve;
        }),
    });
    expect(outcomes).toMatchObject([{ state: 'failed', value: null }]);
    await new Promise<void>((resolve) => late(sandboxOf(resolve)));
  });

  it('whose sandbox does not open is failed', async () => {
    expect(
      await scoreWith([loaded(async () => 1, { needsSandbox: true })], {
        openSandbox: async () => {
          throw new Error('no overlay');
        },
      }),
    ).toMatchObject([{ state: 'failed', value: null, error: 'no overlay' }]);
  });

  it('that does not apply to the task is not asked and gets no sandbox', async () => {
    let opened = 0;
    const outcomes = await scoreWith(
      [loaded(async () => 1, { needsSandbox: true, applies: async () => false })],
      {
        openSandbox: async () => {
          opened++;
          return sandboxOf(() => {});
        },
      },
    );
    expect(outcomes).toMatchObject([{ state: 'not_applicable', value: null }]);
    expect(opened).toBe(0);
  });

  it('gets as much time as the tests of the task may take', async () => {
    const deadlines: number[] = [];
    const score: RewardFunction['score'] = async (_rollout, { deadlineMs, options }) => {
      deadlines.push(deadlineMs);
      return { value: Number(options['level']) };
    };
    for (const seconds of [null, 1, 900]) {
      const outcomes = await scoreWith([loaded(score)], {
        rollout: {
          task: aTask({ tests_timeout_s: seconds }),
          taskKey: 'k',
          sample: 0,
          messages: [],
          exitReason: 'finished',
          finalAnswer: '',
        },
        timeoutMs: 100_000,
      });
      expect(outcomes[0]?.value).toBe(3);
    }
    expect(deadlines).toEqual([100_000, 100_000, 960_000]);
  });

  it('is announced by events, and keeps its weight and its time', async () => {
    const events: RolloutEventBody[] = [];
    const outcomes = await scoreWith([loaded(async () => 1, {}, 0.25)], {
      emit: (event) => events.push(event),
    });
    expect(events).toEqual([
      { type: 'reward-start', name: 'mine' },
      { type: 'reward-end', name: 'mine', state: 'scored', value: 1 },
    ]);
    expect(outcomes[0]).toMatchObject({ weight: 0.25, seconds: expect.any(Number) });
  });

  it('ends at once when everything is cancelled', async () => {
    const controller = new AbortController();
    const outcomes = await scoreWith(
      [
        loaded(() => {
          controller.abort();
          return forever();
        }),
        loaded(async () => 1),
      ],
      { signal: controller.signal },
    );
    expect(outcomes.map(({ state }) => state)).toEqual(['failed', 'failed']);
  });
});

function sandboxOf(onClose: () => void) {
  const session: SandboxSession = {
    home: '/work',
    exec: forever,
    read: async () => null,
    write: async () => {},
  };
  return { session, close: async () => onClose() };
}

describe('the total', () => {
  const outcome = (value: number, weight: number) => ({
    name: 'mine',
    weight,
    state: 'scored' as const,
    value,
    metrics: {},
    explanation: null,
    error: null,
    seconds: 0,
  });

  it.each([
    [1e100, 1e100, 1e100],
    [-1e100, 1e100, -1e100],
    [0.4, 1e-100, 0.4],
  ])('of rewards of %s and weights of %s is %s', (value, weight, total) => {
    const outcomes = Array.from({ length: 1000 }, () => outcome(value, weight));
    const ratio = (totalReward(outcomes) ?? 0) / total;
    expect(ratio).toBeCloseTo(1, 9);
  });
});

import type { Clock } from '../src/clock.js';
import { messageOf, usageError } from '../src/errors.js';
import { closeWithin } from '../src/rollout/close-within.js';
import type { EmitEvent } from '../src/rollout/event.js';
import type { RewardOutcome } from '../src/rollout/reward.js';
import { taskDirectory } from '../src/rollout/task-directory.js';
import { type Aborting, withinLimit } from '../src/rollout/within-limit.js';
import type { SandboxSession } from '../src/sandbox/sandbox.js';
import type { LoadedReward } from './load-rewards.js';
import { failed, readScore, type Verdict } from './read-score.js';
import type { RewardContext, ScoredRollout } from './reward-function.js';

/** What scores one rollout. */
export interface ScoreInput {
  readonly rewards: readonly LoadedReward[];
  readonly rollout: ScoredRollout;
  /** Limit of one reward; stretched where the task's own tests may take longer. */
  readonly timeoutMs: number;
  /** Opens a sandbox to look into, one for each reward that needs it, so that none sees what another one did. */
  openSandbox(signal: AbortSignal): Promise<RewardSandbox>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: EmitEvent;
}

export interface RewardSandbox {
  readonly session: SandboxSession;
  close(): Promise<void>;
}

/**
 * Runs the rewards one after the other, each with a deadline of its own. Never rejects: a reward that throws, takes too
 * long, gives no number or has no sandbox to look into is `failed`. The caller throws everything away after an abort.
 */
export async function scoreAll(input: ScoreInput): Promise<RewardOutcome[]> {
  const outcomes: RewardOutcome[] = [];
  for (const loaded of input.rewards) {
    const { name } = loaded.reward;
    const started = input.clock.monotonic();
    input.emit({ type: 'reward-start', name });
    const verdict = await judge(loaded, input);
    input.emit({ type: 'reward-end', name, state: verdict.state, value: verdict.value });
    outcomes.push({
      name,
      weight: loaded.config.weight,
      ...verdict,
      seconds: (input.clock.monotonic() - started) / 1000,
    });
  }
  return outcomes;
}

const closeTimeoutMs = 30_000;

async function judge(loaded: LoadedReward, input: ScoreInput): Promise<Verdict> {
  const { reward } = loaded;
  const deadlineMs = deadlineOf(input);
  const limit = { clock: input.clock, signal: input.signal, timeoutMs: deadlineMs };
  let sandbox: RewardSandbox | null = null;
  try {
    if (reward.applies !== undefined) {
      const applies = await withinLimit(async () => reward.applies?.(input.rollout.task), limit);
      if (applies.state !== 'done') {
        return gaveUp(applies.state, deadlineMs);
      }
      if (!applies.value) {
        return readScore(null);
      }
    }
    if (reward.needsSandbox) {
      const opened = await withinLimit(({ signal }) => input.openSandbox(signal), {
        ...limit,
        onLate: (late) => closeWithin(late, input.clock, closeTimeoutMs),
      });
      if (opened.state !== 'done') {
        return gaveUp(opened.state, deadlineMs);
      }
      sandbox = opened.value;
    }
    const session = sandbox?.session ?? null;
    const scored = await withinLimit(
      (abort) =>
        reward.score(input.rollout, contextOf(loaded, input, { session, abort, deadlineMs })),
      limit,
    );
    return scored.state === 'done' ? readScore(scored.value) : gaveUp(scored.state, deadlineMs);
  } catch (thrown) {
    return failed(messageOf(thrown));
  } finally {
    // A reward that ran out of time may still be at work in there: closing is what stops it.
    if (sandbox !== null) {
      await closeWithin(sandbox, input.clock, closeTimeoutMs);
    }
  }
}

/** Copying the tests and starting a shell come on top of the time that a task allows its tests. */
const marginMs = 60_000;

function deadlineOf({ rollout, timeoutMs }: ScoreInput): number {
  const ownSeconds = rollout.task.tests_timeout_s;
  return ownSeconds === null ? timeoutMs : Math.max(timeoutMs, ownSeconds * 1000 + marginMs);
}

function gaveUp(state: 'timeout' | 'aborted', deadlineMs: number): Verdict {
  return failed(
    state === 'aborted' ? 'Cancelled.' : `Did not end within its ${deadlineMs / 1000} s.`,
  );
}

function contextOf(
  { config, reward }: LoadedReward,
  { rollout }: ScoreInput,
  own: {
    readonly session: SandboxSession | null;
    readonly abort: Aborting;
    readonly deadlineMs: number;
  },
): RewardContext {
  return {
    get sandbox(): SandboxSession {
      if (own.session === null) {
        throw usageError(`The reward ${reward.name} has no sandbox: set needsSandbox to true.`);
      }
      return own.session;
    },
    cwd:
      own.session === null ? (rollout.task.cwd ?? '/') : taskDirectory(rollout.task, own.session),
    options: config.options,
    get signal(): AbortSignal {
      return own.abort.signal;
    },
    deadlineMs: own.deadlineMs,
  };
}

import { tests } from '../rewards/builtin/tests.js';
import type { LoadedReward } from '../rewards/load-rewards.js';
import type { ScoredRollout } from '../rewards/reward-function.js';
import { type RewardSandbox, scoreAll } from '../rewards/score-all.js';
import { deepFreeze } from '../src/deep-freeze.js';
import type { Message } from '../src/messages/message.js';
import type { ExitReason } from '../src/rollout/exit-reason.js';
import type { RewardOutcome } from '../src/rollout/reward.js';
import type { Sandbox, VerifyMode } from '../src/sandbox/sandbox.js';
import { prepareSandbox } from './prepare-sandbox.js';
import type { RolloutInput } from './rollout.js';
import { openVerifier } from './verify/open-verifier.js';

export interface Scores {
  readonly outcomes: readonly RewardOutcome[];
  /** How the sandbox was looked into; null when no reward did. */
  readonly verify: VerifyMode | null;
}

/** Scores what a rollout left. Never rejects: what cannot be scored is a failed outcome. */
export async function scoreRollout(
  input: RolloutInput,
  sandbox: Sandbox | null,
  left: { readonly messages: readonly Message[]; readonly exitReason: ExitReason },
): Promise<Scores> {
  let verify: VerifyMode | null = null;
  const openSandbox = async (signal: AbortSignal): Promise<RewardSandbox> => {
    if (sandbox === null) {
      throw new Error('This rollout had no sandbox to look into.');
    }
    const verifier = await openVerifier({
      sandbox,
      mode: input.config.verify,
      prepare: (session, inner) =>
        prepareSandbox({
          task: input.task,
          environment: input.environment,
          session,
          commandTimeoutMs: input.config.sandbox.commandTimeoutMs,
          signal: inner,
        }),
      signal,
      clock: input.clock,
    });
    verify = verifier.mode;
    return verifier.sandbox;
  };
  const outcomes = await scoreAll({
    rewards: rewardsOf(input, sandbox !== null),
    rollout: scoredRollout(input, left),
    timeoutMs: input.config.rewardTimeoutMs,
    openSandbox,
    signal: input.signal,
    clock: input.clock,
    emit: input.emit,
  });
  return { outcomes, verify };
}

/** Whether a reward needs a sandbox that the rollout would not have otherwise. */
export async function scoringNeedsSandbox(input: RolloutInput): Promise<boolean> {
  for (const { reward } of rewardsOf(input, false)) {
    if (reward.needsSandbox && (await appliesTo(reward, input))) {
      return true;
    }
  }
  return false;
}

/** The configured rewards, or the task's own tests where none is; beside them the environment's own scoring. */
function rewardsOf({ rewards, environment }: RolloutInput, hasSandbox: boolean): LoadedReward[] {
  const all: LoadedReward[] = rewards.length > 0 ? [...rewards] : [impliedTests];
  if (environment.score !== undefined) {
    all.push({
      config: { use: environment.name, weight: 1, options: {} },
      reward: {
        name: environment.name,
        description: `Scoring of the environment ${environment.name}.`,
        needsSandbox: environment.scoreNeedsSandbox ?? hasSandbox,
        score: environment.score.bind(environment),
      },
    });
  }
  return all;
}

const impliedTests: LoadedReward = {
  config: { use: tests.name, weight: 1, options: {} },
  reward: tests,
};

async function appliesTo(reward: LoadedReward['reward'], { task }: RolloutInput): Promise<boolean> {
  try {
    return (await reward.applies?.(task)) ?? true;
  } catch {
    // It will fail again when it is asked to score, and there it is recorded.
    return false;
  }
}

function scoredRollout(
  { task, taskKey, sample }: RolloutInput,
  { messages, exitReason }: { messages: readonly Message[]; exitReason: ExitReason },
): ScoredRollout {
  const last = messages.findLast((message) => message.role === 'assistant');
  // The record holds the same messages: what a reward writes into them would be stored as the agent's.
  const frozen = deepFreeze(messages);
  return { task, taskKey, sample, messages: frozen, exitReason, finalAnswer: last?.content ?? '' };
}

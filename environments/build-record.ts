import type { AgentOutcome } from '../src/agent/agent.js';
import { messageOf } from '../src/errors.js';
import type { Usage } from '../src/models/model.js';
import { checkRecord } from '../src/rollout/check-record.js';
import { type ExitReason, statusOfExit } from '../src/rollout/exit-reason.js';
import type {
  RecordedError,
  RecordedTokens,
  RecordedUsage,
  RolloutRecord,
} from '../src/rollout/record.js';
import { repairRecord } from '../src/rollout/repair-record.js';
import { totalReward } from '../src/rollout/reward.js';
import { rolloutSeed } from '../src/rollout/rollout-seed.js';
import { usageCost } from '../src/rollout/usage-cost.js';
import type { RolloutInput } from './rollout.js';
import type { RolloutDraft } from './rollout-draft.js';

/**
 * The record of what a rollout left. Never throws. A record that breaks an invariant is a bug of ours: it becomes a
 * failed one of class `internal` that says so and can be stored, instead of a bad row in a data set.
 */
export function buildRecord(input: RolloutInput, draft: RolloutDraft): RolloutRecord {
  const record = assemble(input, draft);
  const problems = problemsOf(record);
  return problems.length === 0 ? record : asInternalError(record, problems);
}

function assemble(input: RolloutInput, draft: RolloutDraft): RolloutRecord {
  const { task, config, clock } = input;
  const { outcome, offer } = draft;
  const exitReason: ExitReason = draft.stop?.exitReason ?? outcome?.exitReason ?? 'cancelled';
  const status = draft.discardReason === null ? statusOfExit[exitReason] : 'discarded';
  const usage = usageOf(outcome, input.wastedCalls);
  return {
    schema: 'talaria/record/1',
    run: config.run,
    environment: input.environment.name,
    task_key: input.taskKey,
    sample: input.sample,
    attempt: input.attempt,
    seed: rolloutSeed({
      runSeed: config.runSeed,
      taskKey: input.taskKey,
      sample: input.sample,
    }),
    task: {
      id: task.id,
      prompt: task.prompt,
      image: task.image,
      cwd: task.cwd,
      tags: task.tags,
      answer: task.answer,
      metadata: task.metadata,
    },
    status,
    exit_reason: exitReason,
    error: status === 'failed' ? errorOf(draft) : null,
    discard_reason: draft.discardReason,
    model: config.model,
    toolsets: offer?.toolsets ?? [],
    toolsets_skipped: offer?.skipped ?? [],
    tools: offer?.schemas ?? [],
    system_prompt: draft.systemPrompt,
    messages: outcome?.messages ?? [],
    rewards: draft.rewards,
    reward: totalReward(draft.rewards),
    verify: draft.verify,
    annotations: draft.annotations,
    turns: outcome?.turns ?? 0,
    usage,
    cost_usd: config.price === null ? null : usageCost(usage, config.price),
    timings: {
      started_at: new Date(draft.startedAt).toISOString(),
      ended_at: new Date(clock.now()).toISOString(),
      total_s: (clock.monotonic() - draft.startedMonotonic) / 1000,
      setup_s: draft.setupSeconds,
      model_s: outcome?.modelSeconds ?? 0,
      tools_s: outcome?.toolSeconds ?? 0,
      rewards_s: draft.rewardSeconds,
    },
    tool_stats: outcome?.toolStats ?? {},
    tokens: config.records.recordTokens ? tokensOf(outcome) : null,
    sandbox: draft.sandbox,
    versions: input.versions,
  };
}

const maxErrorChars = 4000;

function errorOf({ stop, outcome }: RolloutDraft): RecordedError {
  const error = stop === null ? outcomeError(outcome) : stop.error;
  if (error === null) {
    return { class: 'internal', message: 'No reason was given.', retryable: false };
  }
  return { ...error, message: error.message.slice(0, maxErrorChars).toWellFormed() };
}

function outcomeError(outcome: AgentOutcome | null): RecordedError | null {
  if (outcome === null) {
    return null;
  }
  if (outcome.exitReason === 'model_error' && outcome.modelFailure !== null) {
    const { class: failureClass, message, retryable } = outcome.modelFailure;
    return { class: failureClass, message, retryable };
  }
  return {
    class: outcome.exitReason,
    message: outcome.error ?? 'No reason was given.',
    // A sandbox that died may live next time, and its replies are in the journal; the rest would end the same way.
    retryable: outcome.exitReason === 'sandbox_unavailable',
  };
}

function usageOf(outcome: AgentOutcome | null, wastedCalls: number): RecordedUsage {
  const none: Omit<Usage, 'source'> = {
    prompt_tokens: 0,
    completion_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
  };
  const usage = outcome?.usage ?? none;
  return {
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    cached_tokens: usage.cached_tokens,
    reasoning_tokens: usage.reasoning_tokens,
    model_calls: outcome?.modelCalls ?? 0,
    replayed_calls: outcome?.replayedCalls ?? 0,
    wasted_calls: wastedCalls,
    retries: outcome?.retries ?? 0,
    source: outcome === null || outcome.modelCalls === 0 ? 'none' : outcome.usage.source,
  };
}

function tokensOf(outcome: AgentOutcome | null): RecordedTokens | null {
  return outcome?.tokens.some((turn) => turn !== null)
    ? { source: 'engine', turns: outcome.tokens }
    : null;
}

function problemsOf(record: RolloutRecord): readonly string[] {
  try {
    return checkRecord(record);
  } catch (thrown) {
    return [`the check itself failed: ${messageOf(thrown)}`];
  }
}

function asInternalError(record: RolloutRecord, problems: readonly string[]): RolloutRecord {
  const shown = problems.slice(0, 5).join('; ').slice(0, maxErrorChars);
  return {
    ...repairRecord(record),
    status: 'failed',
    exit_reason: 'environment_error',
    error: {
      class: 'internal',
      message: `The record is not sound: ${shown}. This is a bug; please report it.`.toWellFormed(),
      retryable: false,
    },
    discard_reason: null,
    rewards: [],
    reward: null,
    verify: null,
    tokens: null,
  };
}

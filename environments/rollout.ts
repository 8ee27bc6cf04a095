import type { LoadedReward } from '../rewards/load-rewards.js';
import type { AgentOutcome } from '../src/agent/agent.js';
import { runAgent } from '../src/agent/run-agent.js';
import type { Clock } from '../src/clock.js';
import { deepFreeze } from '../src/deep-freeze.js';
import { messageOf, TalariaError } from '../src/errors.js';
import type { Model } from '../src/models/model.js';
import type { EmitEvent } from '../src/rollout/event.js';
import { statusOfExit } from '../src/rollout/exit-reason.js';
import { interruptionOf } from '../src/rollout/interruption.js';
import { reasoningTurns } from '../src/rollout/reasoning-turns.js';
import type { RolloutRecord } from '../src/rollout/record.js';
import { rolloutSeed } from '../src/rollout/rollout-seed.js';
import type { Task } from '../src/rollout/task.js';
import { withinLimit } from '../src/rollout/within-limit.js';
import type { Sandbox, SandboxProvider } from '../src/sandbox/sandbox.js';
import type { ToolCatalog } from '../src/tools/catalog.js';
import { executeToolCalls } from '../src/tools/execute-tool-calls.js';
import { buildRecord } from './build-record.js';
import type { Environment } from './environment.js';
import { offerTools, type ToolOffer } from './offer-tools.js';
import { prepareSandbox } from './prepare-sandbox.js';
import type { RolloutConfig } from './rollout-config.js';
import { newDraft, type RolloutDraft } from './rollout-draft.js';
import { RolloutSandbox } from './rollout-sandbox.js';
import { RolloutStop } from './rollout-stop.js';
import { scoreRollout, scoringNeedsSandbox } from './score-rollout.js';
import { systemPrompt } from './system-prompt.js';

/** One attempt at one task. */
export interface RolloutInput {
  readonly task: Task;
  readonly taskKey: string;
  readonly sample: number;
  readonly attempt: number;
  readonly environment: Environment;
  readonly config: RolloutConfig;
  /** Fresh, for this rollout alone. */
  readonly model: Model;
  /** Finds the provider for a task's image; rejects with `sandbox_unavailable`. Cached per worker. */
  readonly sandboxFor: (image: string | null) => Promise<SandboxProvider>;
  readonly tools: ToolCatalog;
  readonly rewards: readonly LoadedReward[];
  /** Replies of an earlier start that were paid and could not be used. */
  readonly wastedCalls: number;
  readonly versions: { readonly [name: string]: string };
  /** Aborted to cancel the rollout; what it then leaves is a record with status `cancelled`. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: EmitEvent;
}

/**
 * One attempt of a fresh agent at one task: tools are drawn, a sandbox is prepared, the agent runs, rewards look at what
 * it left. Never rejects: whatever happens becomes a record. The sandbox is gone when this resolves.
 */
export async function rollout(given: RolloutInput): Promise<RolloutRecord> {
  // What code of the user's is given, it must not change under the hands of others.
  const input: RolloutInput = { ...given, task: deepFreeze(given.task), emit: quietly(given.emit) };
  const draft = newDraft(input.clock);
  input.emit({ type: 'rollout-start' });
  const sandbox = openableSandbox(input);
  try {
    await attempt(input, draft, sandbox);
  } catch (thrown) {
    draft.stop = stopOf(thrown, input.signal);
  }
  const leak = await sandbox.close();
  if (leak !== null) {
    draft.annotations['sandbox_not_closed'] = leak;
  }
  const record = buildRecord(input, draft);
  input.emit({
    type: 'rollout-end',
    status: record.status,
    exit_reason: record.exit_reason,
    error_class: record.error?.class ?? null,
    error_message: record.error?.message ?? null,
    reward: record.reward,
    turns: record.turns,
    seconds: record.timings.total_s,
  });
  return record;
}

/** The stages, in order. Throws a {@link RolloutStop} where one of them ends the rollout. */
async function attempt(
  input: RolloutInput,
  draft: RolloutDraft,
  sandbox: RolloutSandbox,
): Promise<void> {
  const { config, model, clock } = input;
  if (input.signal.aborted) {
    throw RolloutStop.interrupted(input.signal);
  }
  const offer = offerTools({
    catalog: input.tools,
    config: config.toolsets,
    required: model.requiredTools ?? [],
    runSeed: config.runSeed,
    taskKey: input.taskKey,
    sample: input.sample,
  });
  draft.offer = offer;
  draft.systemPrompt = systemPrompt(config.agent.systemPrompt, offer.tools);
  const prompt = promptOf(input);

  if (await needsSandbox(input, offer)) {
    const started = clock.monotonic();
    try {
      const opened = await sandbox.open();
      draft.sandbox = { kind: opened.kind, image: imageOf(input) };
      await prepare(input, opened);
    } finally {
      draft.setupSeconds = (clock.monotonic() - started) / 1000;
    }
  }

  const outcome = await runAgent(
    {
      config: agentConfig(input),
      model,
      systemPrompt: draft.systemPrompt,
      prompt,
      tools: offer.tools,
      toolSchemas: offer.schemas,
      sandbox: sandbox.sandbox?.session ?? null,
      seed: rolloutSeed({
        runSeed: config.runSeed,
        taskKey: input.taskKey,
        sample: input.sample,
      }),
      signal: input.signal,
      clock,
      emit: input.emit,
    },
    executeToolCalls,
  );
  draft.outcome = outcome;
  const status = statusOfExit[outcome.exitReason];
  if (status === 'failed' && input.signal.aborted && !isOutage(outcome, input.signal)) {
    throw RolloutStop.interrupted(input.signal);
  }
  if (status === 'failed' || status === 'cancelled') {
    return;
  }
  applyReasoningPolicy(config.records.requireReasoning, outcome, draft);
  if (draft.discardReason === null) {
    await score(input, draft, sandbox.sandbox, outcome);
  }
}

/** The wall limit came while the model server failed: what it ended is no attempt, and is not cut off but failed. */
function isOutage({ modelFailure }: AgentOutcome, signal: AbortSignal): boolean {
  return modelFailure !== null && interruptionOf(signal) === 'deadline';
}

/** A discarded rollout is not scored: no data set will hold it. */
function applyReasoningPolicy(
  policy: RolloutConfig['records']['requireReasoning'],
  { messages }: AgentOutcome,
  draft: RolloutDraft,
): void {
  if (policy === 'off' || reasoningTurns(messages).turns_with_reasoning > 0) {
    return;
  }
  draft.annotations['no_reasoning'] = true;
  if (policy === 'discard') {
    draft.discardReason = 'no_reasoning';
  }
}

async function score(
  input: RolloutInput,
  draft: RolloutDraft,
  sandbox: Sandbox | null,
  outcome: AgentOutcome,
): Promise<void> {
  const started = input.clock.monotonic();
  const { outcomes, verify } = await scoreRollout(input, sandbox, outcome);
  draft.rewardSeconds = (input.clock.monotonic() - started) / 1000;
  if (input.signal.aborted && outcomes.some(({ state }) => state === 'failed')) {
    // Cut off, not failed: the next start replays the agent's turns without paying and scores anew.
    throw RolloutStop.interrupted(input.signal);
  }
  draft.rewards = outcomes;
  draft.verify = verify;
}

async function needsSandbox(input: RolloutInput, { tools }: ToolOffer): Promise<boolean> {
  const { task, environment } = input;
  return (
    tools.some((tool) => tool.needsSandbox) ||
    task.files.length > 0 ||
    task.setup !== null ||
    task.requires.length > 0 ||
    environment.setup !== undefined ||
    (await scoringNeedsSandbox(input))
  );
}

async function prepare(input: RolloutInput, { session }: Sandbox): Promise<void> {
  const { task, environment, clock, signal } = input;
  const { commandTimeoutMs } = input.config.sandbox;
  const prepared = await withinLimit(
    (inner) =>
      prepareSandbox({ task, environment, session, commandTimeoutMs, signal: inner.signal }),
    { clock, signal, timeoutMs: null },
  );
  if (prepared.state !== 'done') {
    throw RolloutStop.interrupted(signal);
  }
}

function promptOf({ environment, task }: RolloutInput): string {
  try {
    return environment.prompt?.(task) ?? task.prompt;
  } catch (thrown) {
    throw RolloutStop.from(thrown, `The prompt of the environment ${environment.name} failed`);
  }
}

/** A time limit of the task's own wins over the one of the configuration: it is part of what is asked. */
function agentConfig({ config, task }: RolloutInput): RolloutConfig['agent'] {
  return task.agent_timeout_s === null
    ? config.agent
    : { ...config.agent, deadlineMs: task.agent_timeout_s * 1000 };
}

function imageOf({ task, config }: RolloutInput): string | null {
  return task.image ?? config.sandbox.image;
}

function openableSandbox(input: RolloutInput): RolloutSandbox {
  const { network, memoryMb, cpus, env, commandTimeoutMs } = input.config.sandbox;
  return new RolloutSandbox({
    spec: {
      image: imageOf(input),
      cwd: input.task.cwd,
      network,
      memoryMb,
      cpus,
      commandTimeoutMs,
      env,
      owner: input.config.owner,
    },
    sandboxFor: input.sandboxFor,
    signal: input.signal,
    clock: input.clock,
    emit: input.emit,
  });
}

function stopOf(thrown: unknown, signal: AbortSignal): RolloutStop {
  if (signal.aborted) {
    return RolloutStop.interrupted(signal);
  }
  if (thrown instanceof RolloutStop) {
    return thrown;
  }
  // What is meant for the user, for example that no toolset of the distribution exists, is not a bug.
  return TalariaError.isInstance(thrown) && thrown.code !== 'internal'
    ? RolloutStop.environment(thrown.message)
    : RolloutStop.internal(messageOf(thrown));
}

function quietly(emit: EmitEvent): EmitEvent {
  return (event) => {
    try {
      emit(event);
    } catch {
      // An observer that breaks its contract must not cost a rollout.
    }
  };
}

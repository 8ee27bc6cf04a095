import { rollout } from '../../environments/rollout.js';
import { systemClock } from '../../src/clock.js';
import type { Model } from '../../src/models/model.js';
import { encodeRecord } from '../../src/rollout/encode-record.js';
import type { EventOrigin, RolloutEventBody } from '../../src/rollout/event.js';
import type { RolloutRecord } from '../../src/rollout/record.js';
import { rolloutSeed } from '../../src/rollout/rollout-seed.js';
import type { Task } from '../../src/rollout/task.js';
import type { EncodedPrompt } from '../../src/rollout/task-text.js';
import { version } from '../../src/version.js';
import type { JournalEntry, LaneStore, RolloutHandle } from '../store/run-store.js';
import { JournaledModel } from './journaled-model.js';
import type { LaneConfig, RolloutDone } from './lane-protocol.js';
import type { LaneResources } from './lane-resources.js';
import { outcomeOf } from './outcome-of.js';

export interface PendingInput {
  readonly pending: RolloutHandle;
  readonly task: Task;
  readonly encodedPrompt: EncodedPrompt;
  readonly config: LaneConfig;
  readonly resources: LaneResources;
  readonly store: LaneStore;
  readonly signal: AbortSignal;
  /** Called once, before the outcome is stored: the stray error that was traced to this rollout, or null. */
  judge(): string | null;
  emit(origin: EventOrigin, event: RolloutEventBody): void;
}

/**
 * Runs one assigned rollout to its stored outcome: with the journal of an earlier attempt first, and from the start when
 * that cannot be repeated. Rejects only when the store fails.
 */
export async function runPending(input: PendingInput): Promise<RolloutDone> {
  const { pending, store } = input;
  let journal = pending.journaled ? await store.journal(pending.rolloutId) : [];
  let { wastedCalls } = pending;
  for (;;) {
    const record = await attempt(input, journal, wastedCalls);
    if (record.error?.class === 'replay_diverged') {
      wastedCalls += journal.length;
      journal = [];
      await store.clearJournal(pending.rolloutId, pending.lease);
      continue;
    }
    // A rejection that nobody handles shows only once the microtasks have run out: it is waited for before the verdict.
    await new Promise((resolve) => setImmediate(resolve));
    return await commit(input, withStrayError(record, input.judge()));
  }
}

function attempt(
  input: PendingInput,
  journal: readonly JournalEntry[],
  wastedCalls: number,
): Promise<RolloutRecord> {
  const { pending, task, resources } = input;
  const origin = { task_key: pending.taskKey, sample: pending.sample, attempt: pending.attempt };
  const emit = (event: RolloutEventBody) => {
    // Such an end is none: the rollout starts over, and nobody should be told of a failure.
    if (event.type !== 'rollout-end' || event.error_class !== 'replay_diverged') {
      input.emit(origin, event);
    }
  };
  return rollout({
    task,
    taskKey: pending.taskKey,
    sample: pending.sample,
    attempt: pending.attempt,
    environment: resources.environment,
    config: input.config.rollout,
    model: modelFor(input, journal, emit),
    sandboxFor: resources.sandboxFor,
    tools: resources.tools,
    rewards: resources.rewards,
    wastedCalls,
    versions: { talaria: version, node: process.versions.node },
    signal: input.signal,
    clock: systemClock,
    emit,
  });
}

function modelFor(
  { pending, task, encodedPrompt, config, resources, store }: PendingInput,
  journal: readonly JournalEntry[],
  emit: (event: RolloutEventBody) => void,
): Model {
  const { taskKey, sample, rolloutId, lease } = pending;
  const inner = resources.connection.forRollout({
    task,
    encodedPrompt,
    taskKey,
    sample,
    seed: rolloutSeed({ runSeed: config.rollout.runSeed, taskKey, sample }),
    onRetry: (retry) =>
      emit({
        type: 'retry-start',
        class: retry.class,
        call_attempt: retry.attempt,
        wait_ms: retry.waitMs,
        message: retry.message,
      }),
  });
  // A model that costs nothing is asked again rather than remembered.
  if (resources.offline) {
    return inner;
  }
  return new JournaledModel({
    inner,
    journal,
    prompt: { text: task.prompt, key: taskKey },
    append: (entry) => store.append(rolloutId, lease, entry),
  });
}

async function commit(input: PendingInput, record: RolloutRecord): Promise<RolloutDone> {
  const { pending, store } = input;
  const outcome = outcomeOf(pending, record, encodeRecord(record));
  const stored = await store.commit(outcome);
  return {
    rolloutId: pending.rolloutId,
    stale: stored === 'stale',
    status: outcome.status,
    errorClass: outcome.errorClass,
    errorMessage: outcome.errorMessage,
    retryable: record.error?.retryable ?? false,
    costUsd: outcome.costUsd,
  };
}

function withStrayError(record: RolloutRecord, strayError: string | null): RolloutRecord {
  if (strayError === null) {
    return record;
  }
  return {
    ...record,
    status: 'failed',
    exit_reason: 'environment_error',
    error: {
      class: 'stray_error',
      message: `An error escaped from this rollout, most likely from a promise that nobody awaits: ${strayError}`,
      retryable: false,
    },
    rewards: [],
    reward: null,
  };
}

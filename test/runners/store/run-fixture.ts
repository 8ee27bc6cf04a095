import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { connectStore } from '../../../dist/runners/store/connect-store.js';
import {
  type OpenRunStoreOptions,
  openRunStore,
} from '../../../dist/runners/store/open-run-store.js';
import type {
  LaneStore,
  Outcome,
  PendingRollout,
  PlannedTask,
  RunStore,
} from '../../../runners/store/run-store.js';
import { sha256 } from '../../../src/hash.js';
import { decodeTask } from '../../../src/rollout/task-text.js';

/** An empty directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'talaria-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Opens a run and closes it with the test. */
export async function openRun(
  directory: string,
  options: Partial<OpenRunStoreOptions> = {},
): Promise<RunStore> {
  const store = await openRunStore({
    directory,
    name: 'a-run',
    resume: false,
    identity: { 'model.use': '"openai:a"' },
    configYaml: 'name: a-run\n',
    now: () => 1_700_000_000_000,
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}

export function openLane(store: RunStore): LaneStore {
  const lane = connectStore(store.connect());
  onTestFinished(() => lane.close());
  return lane;
}

/** A task whose key follows from its prompt, as in a data set of plain prompts. */
export function promptTask(prompt: string, id: string | null = null): PlannedTask {
  return {
    key: sha256(prompt),
    task: {
      id,
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
    },
  };
}

/** One whole pass over a data set of prompts. */
export async function planPrompts(
  store: RunStore,
  prompts: readonly string[],
  samples = 1,
): Promise<{ added: number; merged: number }> {
  await store.beginPlan();
  const step = await store.plan(
    prompts.map((prompt) => promptTask(prompt)),
    samples,
  );
  await store.endPlan(null, samples);
  return step;
}

/** The prompts and samples of what was handed out, in order: `a#0`. */
export function names(rollouts: readonly PendingRollout[]): string[] {
  return rollouts.map((rollout) => `${promptOf(rollout)}#${rollout.sample}`);
}

/** The prompt of what was handed out. */
export function promptOf({ task }: PendingRollout): string {
  const decoded = decodeTask(task);
  return decoded.ok ? decoded.task.prompt : decoded.error;
}

/** The outcome of a rollout that went well, with changes. */
export function outcomeOf(rollout: PendingRollout, changes: Partial<Outcome> = {}): Outcome {
  return {
    rolloutId: rollout.rolloutId,
    lease: rollout.lease,
    attempt: rollout.attempt,
    status: 'completed',
    exitReason: 'finished',
    errorClass: null,
    errorMessage: null,
    retryable: false,
    discardReason: null,
    reward: null,
    rewards: [],
    turns: 2,
    turnsWithReasoning: 1,
    modelCalls: 2,
    replayedCalls: 0,
    wastedCalls: 0,
    retries: 0,
    promptTokens: 100,
    completionTokens: 10,
    cachedTokens: 0,
    reasoningTokens: 0,
    costUsd: null,
    seconds: 1.5,
    toolStats: {},
    record: gzipSync(
      JSON.stringify({
        task_key: rollout.taskKey,
        sample: rollout.sample,
        attempt: rollout.attempt,
        schema: 'talaria/record/1',
        task: { prompt: promptOf(rollout) },
      }),
    ),
    ...changes,
  };
}

/** The outcome of an attempt that a model failure ended and that may be tried again. */
export function retryableFailure(rollout: PendingRollout, changes: Partial<Outcome> = {}): Outcome {
  return outcomeOf(rollout, {
    status: 'failed',
    exitReason: 'model_error',
    errorClass: 'overloaded',
    errorMessage: 'the server is busy',
    retryable: true,
    ...changes,
  });
}

/** What a promise rejects with, as a TalariaError's code and message. */
export async function refusal(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (thrown) {
    return thrown as { code: string; message: string };
  }
  throw new Error('Expected a rejection.');
}

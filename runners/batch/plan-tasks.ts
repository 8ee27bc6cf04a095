import type { Environment } from '../../environments/environment.js';
import { sha256 } from '../../src/hash.js';
import { taskKey } from '../../src/rollout/task-key.js';
import type { PlannedTask, RunStore } from '../store/run-store.js';
import { refuseEmpty } from './refuse-empty.js';

export interface PlanTasksOptions {
  readonly environment: Environment;
  /** Where the tasks come from, for messages. */
  readonly source: string;
  readonly store: RunStore;
  readonly samples: number;
  /** Only the first so many tasks, or null. */
  readonly limit: number | null;
  /** Aborted when the run is ending: the rest of the data set is left for the next start. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** After each chunk that the store has taken. */
  onGrown(): void;
}

export interface PlanSummary {
  readonly mergedRows: number;
  readonly skippedRows: number;
  /** False when the run ended before the data set was read to its end. */
  readonly complete: boolean;
}

const chunkSize = 500;
/** A data set that comes slowly is planned in smaller chunks, so that its first tasks need not wait for the rest. */
const maxChunkMs = 500;

/**
 * Reads the data set into the run's plan, chunk by chunk, while rollouts already run. A data set that is the same as at the
 * last complete plan is not read again.
 */
export async function planTasks(options: PlanTasksOptions): Promise<PlanSummary> {
  const { environment, store, samples, limit, signal, now } = options;
  const fingerprint = await fingerprintOf(environment, limit);
  const planned = await store.planned();
  if (fingerprint !== null && planned?.fingerprint === fingerprint && planned.samples === samples) {
    return { mergedRows: 0, skippedRows: 0, complete: true };
  }
  await store.beginPlan();
  let mergedRows = 0;
  let chunk: PlannedTask[] = [];
  const flush = async () => {
    if (chunk.length > 0) {
      mergedRows += (await store.plan(chunk, samples)).merged;
      chunk = [];
      options.onGrown();
    }
  };
  let taken = 0;
  // Rows that ask the same are one task, and the limit counts tasks.
  const limited = limit === null ? null : new Set<string>();
  let flushedAt = now();
  for await (const task of environment.tasks()) {
    if (signal.aborted) {
      break;
    }
    const promptJson = JSON.stringify(task.prompt);
    const key = taskKey(task, promptJson);
    taken += 1;
    chunk.push({ key, task, promptJson });
    // Nothing behind the limit is read: it may be bad, or long in coming.
    if (limited?.add(key).size === limit) {
      break;
    }
    if (chunk.length >= chunkSize || now() - flushedAt > maxChunkMs) {
      await flush();
      flushedAt = now();
    }
  }
  await flush();
  const complete = !signal.aborted;
  if (complete) {
    refuseEmpty(taken, environment, options.source);
    await store.endPlan(fingerprint, samples);
  }
  return { mergedRows, skippedRows: environment.skippedRows?.() ?? 0, complete };
}

async function fingerprintOf(
  environment: Environment,
  limit: number | null,
): Promise<string | null> {
  try {
    const fingerprint = await environment.fingerprint?.();
    return fingerprint === undefined ? null : sha256(`${fingerprint} ${limit ?? 'all'}`);
  } catch (thrown) {
    if (limit === null) {
      throw thrown;
    }
    // What is bad may lie behind the limit, where nobody looks.
    return null;
  }
}

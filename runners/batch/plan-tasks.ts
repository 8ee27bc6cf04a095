import type { Environment } from '../../environments/environment.js';
import { TalariaError } from '../../src/errors.js';
import { sha256 } from '../../src/hash.js';
import { taskKey } from '../../src/rollout/task-key.js';
import type { PlannedTask, RunStore } from '../store/run-store.js';

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
    return { mergedRows: 0, skippedRows: 0 };
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
  let flushedAt = now();
  for await (const task of environment.tasks()) {
    if (signal.aborted || (limit !== null && taken >= limit)) {
      break;
    }
    taken += 1;
    const promptJson = JSON.stringify(task.prompt);
    chunk.push({ key: taskKey(task, promptJson), task, promptJson });
    if (chunk.length >= chunkSize || now() - flushedAt > maxChunkMs) {
      await flush();
      flushedAt = now();
    }
  }
  await flush();
  if (taken === 0 && !signal.aborted) {
    throw new TalariaError({
      code: 'data_set',
      message: `There is no task in ${options.source}. Each line of a data set holds one, for example {"prompt": "..."}.`,
    });
  }
  if (!signal.aborted) {
    await store.endPlan(fingerprint, samples);
  }
  return { mergedRows, skippedRows: environment.skippedRows?.() ?? 0 };
}

async function fingerprintOf(
  environment: Environment,
  limit: number | null,
): Promise<string | null> {
  const fingerprint = await environment.fingerprint?.();
  return fingerprint === undefined ? null : sha256(`${fingerprint} ${limit ?? 'all'}`);
}

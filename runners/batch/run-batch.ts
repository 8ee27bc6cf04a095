import type { Environment } from '../../environments/environment.js';
import { openEnvironment } from '../../environments/load-environment.js';
import { type Clock, systemClock } from '../../src/clock.js';
import { TalariaError } from '../../src/errors.js';
import { withinLimit } from '../../src/rollout/within-limit.js';
import { currentOwner } from '../../src/sandbox/sandbox-owner.js';
import type { Reporter } from '../reporters/reporter.js';
import { openRunStore } from '../store/open-run-store.js';
import { runExists } from '../store/run-exists.js';
import type { RunStore } from '../store/run-store.js';
import type { BatchOptions, BatchResult } from './batch.js';
import { Engine, type EngineEnd } from './engine.js';
import { foreignModules } from './foreign-code.js';
import { ForeignGuard } from './foreign-guard.js';
import { laneConfigOf } from './lane-config-of.js';
import { type PlanSummary, planTasks } from './plan-tasks.js';
import { preflight } from './preflight.js';
import { probeModules } from './probe-modules.js';
import { ProgressMeter } from './progress-meter.js';
import { sweepSandboxes } from './sweep-sandboxes.js';
import { workerEnvironment } from './worker-environment.js';

/** What is found out before a run begins. */
interface Prepared {
  readonly environment: Environment;
  readonly warnings: readonly string[];
}

const progressEveryMs = 250;
const lookEveryMs = 1_000;

/**
 * Runs a batch from its configuration to its end: opens the run, plans, runs, and closes. Rejects with a TalariaError when
 * it cannot begin or cannot go on; what was stored until then stays, and `--resume` goes on from there.
 */
export async function runBatch(options: BatchOptions): Promise<BatchResult> {
  const guard = new ForeignGuard(foreignModules(options.config));
  try {
    return await openAndRun(options, guard);
  } finally {
    guard.close();
  }
}

async function openAndRun(options: BatchOptions, guard: ForeignGuard): Promise<BatchResult> {
  const { config, reporter } = options;
  const prepare = () => guard.race(unlessInterrupted(prepared(options), options.drain));
  // A run that is there says first whether it may go on: a model that cannot be reached is the lesser trouble.
  const early = runExists(config.out) ? null : await prepare();
  const store = await openRunStore({
    directory: config.out,
    name: config.name,
    resume: options.resume,
    identity: config.identity,
    configYaml: config.yaml,
    now: () => systemClock.now(),
  });
  try {
    const { environment, warnings } = early ?? (await prepare());
    return await runOpened(options, store, guard, environment, [...warnings, ...store.warnings]);
  } finally {
    await store.close();
    reporter.onEnd?.();
  }
}

async function prepared({ config, environment, drain }: BatchOptions): Promise<Prepared> {
  await probeModules({
    config,
    environment: workerEnvironment(environment),
    timeoutMs: config.run.openTimeoutMs,
    clock: systemClock,
    signal: drain,
  });
  return {
    environment: await openEnvironment(config.environment),
    warnings: await preflight(config),
  };
}

/** The first Ctrl-C ends what comes before the run: there is nothing yet that could be finished. */
async function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = await withinLimit(() => work, { clock: systemClock, signal, timeoutMs: null });
  if (done.state !== 'done') {
    const message = 'Interrupted before the run began; nothing was run.';
    throw new TalariaError({ code: 'interrupted', message });
  }
  return done.value;
}

async function runOpened(
  options: BatchOptions,
  store: RunStore,
  guard: ForeignGuard,
  environment: Environment,
  warnings: readonly string[],
): Promise<BatchResult> {
  const { config, reporter } = options;
  const clock: Clock = systemClock;
  const owner = currentOwner(store.runId);
  for (const message of warnings) {
    reporter.onNotice?.({ level: 'warning', code: 'start', message });
  }
  await sweepSandboxes(reporter);
  reporter.onStart?.({
    name: config.name,
    directory: config.out,
    resumed: store.resumed,
    concurrency: config.run.concurrency,
    threads: config.run.threads,
  });
  const meter = new ProgressMeter(() => clock.monotonic(), config.model.price);
  if (config.model.price !== null) {
    meter.startFrom(await store.spent());
  }
  const planning = new AbortController();
  const engine = new Engine({
    config,
    laneConfig: laneConfigOf(config, owner, reporter),
    store,
    reporter,
    meter,
    environment: workerEnvironment(options.environment),
    clock,
    drain: options.drain,
    cancel: options.cancel,
  });
  guard.failure.catch((thrown: unknown) => engine.fail(thrown));
  const ended = engine.run().finally(() => planning.abort());
  let begun = store.resumed;
  const planned = planTasks({
    environment,
    source: config.environment.path ?? environment.name,
    store,
    samples: config.run.samples,
    limit: config.run.limit,
    signal: planning.signal,
    now: () => clock.monotonic(),
    onGrown: () => {
      begun = true;
      engine.planGrew(false);
    },
  }).then(
    async (summary) => {
      meter.synchronise(await store.counts(), false);
      engine.planGrew(true);
      return summary;
    },
    (thrown: unknown) => {
      engine.stop({ end: 'stopped', reason: 'the data set could not be read' });
      throw begun ? resumable(thrown) : thrown;
    },
  );
  const { end, summary } = await withProgress(reporter, store, meter, engine, ended, planned);
  const counts = await store.counts();
  meter.synchronise(counts, false);
  reporter.onProgress?.(meter.snapshot(0));
  // A cap that the very last rollout reached stops nothing any more.
  const finished = end.end === 'stopped' && summary.complete && counts.pending === 0;
  return {
    ...(finished ? { end: 'done' as const, reason: null } : end),
    counts,
    modelCalls: meter.modelCalls,
    finishedNow: meter.finishedNow,
    mergedRows: summary.mergedRows,
    skippedRows: summary.skippedRows,
  };
}

/** The data set broke off after rollouts had begun: they are not lost. */
function resumable(thrown: unknown): unknown {
  return TalariaError.isInstance(thrown) && thrown.code === 'data_set'
    ? new TalariaError({
        code: thrown.code,
        message: `${thrown.message} What ran until now is stored: go on with --resume.`,
        cause: thrown,
      })
    : thrown;
}

/** Waits for the run and its plan, and shows both meanwhile. A plan that failed is told only after the workers are gone. */
async function withProgress(
  reporter: Reporter,
  store: RunStore,
  meter: ProgressMeter,
  engine: Engine,
  ended: Promise<EngineEnd>,
  planned: Promise<PlanSummary>,
): Promise<{ readonly end: EngineEnd; readonly summary: PlanSummary }> {
  const timer = setInterval(
    () => reporter.onProgress?.(meter.snapshot(engine.running)),
    progressEveryMs,
  );
  // Also a look at the store while nobody has anything to store: it may have failed long before the next reply comes.
  const look = setInterval(() => {
    store.counts().then(
      (counts) => meter.planGrew(counts.rollouts),
      (thrown: unknown) => engine.fail(thrown),
    );
  }, lookEveryMs);
  try {
    const [end, summary] = await Promise.allSettled([ended, planned]);
    if (end.status === 'rejected') {
      throw end.reason;
    }
    if (summary.status === 'rejected') {
      throw summary.reason;
    }
    return { end: end.value, summary: summary.value };
  } finally {
    clearInterval(timer);
    clearInterval(look);
  }
}

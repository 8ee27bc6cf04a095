import type { Environment, EnvironmentConfig } from '../../environments/environment.js';
import { openEnvironment } from '../../environments/load-environment.js';
import { offerTools } from '../../environments/offer-tools.js';
import { systemPrompt } from '../../environments/system-prompt.js';
import { loadRewards } from '../../rewards/load-rewards.js';
import { systemClock } from '../../src/clock.js';
import type { Task } from '../../src/rollout/task.js';
import { taskKey } from '../../src/rollout/task-key.js';
import { loadToolCatalog, type ToolCatalog } from '../../src/tools/catalog.js';
import type { ToolSchema } from '../../src/tools/tool.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { foreignModules } from './foreign-code.js';
import { ForeignGuard } from './foreign-guard.js';
import { probeModules } from './probe-modules.js';
import { refuseEmpty } from './refuse-empty.js';
import { workerEnvironment } from './worker-environment.js';

/** What a run would do, found out without a model call, a sandbox or a run directory. */
export interface DryRunReport {
  readonly environment: string;
  readonly tasks: number;
  readonly samples: number;
  readonly rollouts: number;
  /** Rows merged with an earlier one, since they ask the same. */
  readonly mergedRows: number;
  /** Rows left out by `on_bad_row: skip`. */
  readonly skippedRows: number;
  /** Which toolsets would be offered to how many of the first {@link drawnRollouts} rollouts, the most frequent first. */
  readonly draws: readonly { readonly toolsets: readonly string[]; readonly rollouts: number }[];
  readonly drawnRollouts: number;
  /** Toolsets that were drawn and do not exist in this build. */
  readonly skippedToolsets: readonly string[];
  /** The first request of the first rollout; null when there is no task. */
  readonly first: FirstRequest | null;
  readonly disk: DiskEstimate;
}

export interface FirstRequest {
  readonly taskKey: string;
  readonly id: string | null;
  readonly system: string;
  readonly user: string;
  readonly tools: readonly ToolSchema[];
}

/** Bytes of the run directory, with what was assumed for it. */
export interface DiskEstimate {
  readonly bytes: number;
  readonly turnsAssumed: number;
  readonly bytesPerTurn: number;
}

/** What {@link dryRun} calls; the real parts unless a test passes others. */
export interface DryRunPorts {
  readonly openEnvironment: (config: EnvironmentConfig) => Promise<Environment>;
  readonly loadToolCatalog: () => Promise<ToolCatalog>;
}

const drawsAtMost = 10_000;
const turnsAssumed = 10;
const bytesPerTurn = 2048;

/** Reads the whole data set, or its first `run.limit` tasks. Errors in it are thrown as a run would throw them. */
export async function dryRun(
  config: ResolvedConfig,
  environment: Readonly<Record<string, string | undefined>>,
  ports: DryRunPorts = { openEnvironment, loadToolCatalog: () => loadToolCatalog() },
): Promise<DryRunReport> {
  await probeModules({
    config,
    environment: workerEnvironment(environment),
    timeoutMs: config.run.openTimeoutMs,
    clock: systemClock,
    signal: new AbortController().signal,
  });
  const guard = new ForeignGuard(foreignModules(config));
  try {
    return await guard.race(report(config, ports));
  } finally {
    guard.close();
  }
}

async function report(config: ResolvedConfig, ports: DryRunPorts): Promise<DryRunReport> {
  const [environment, catalog] = await Promise.all([
    ports.openEnvironment(config.environment),
    ports.loadToolCatalog(),
    loadRewards(config.rewards),
  ]);
  // Half of a key is enough to tell a million tasks apart, and takes half the memory.
  const seen = new Set<string>();
  const draws = new Map<string, { toolsets: readonly string[]; rollouts: number }>();
  const skippedToolsets = new Set<string>();
  const { samples, limit } = config.run;
  let mergedRows = 0;
  let drawnRollouts = 0;
  let first: FirstRequest | null = null;
  for await (const task of environment.tasks()) {
    const key = taskKey(task);
    if (seen.has(key.slice(0, 32))) {
      mergedRows++;
      continue;
    }
    seen.add(key.slice(0, 32));
    first ??= firstRequest(task, key, environment, config, catalog);
    for (let sample = 0; sample < samples && drawnRollouts < drawsAtMost; sample++) {
      const { toolsets, skipped } = offer(key, sample, config, catalog);
      const name = toolsets.join(' ');
      const draw = draws.get(name) ?? { toolsets, rollouts: 0 };
      draws.set(name, { toolsets, rollouts: draw.rollouts + 1 });
      skipped.forEach((toolset) => void skippedToolsets.add(toolset));
      drawnRollouts++;
    }
    if (seen.size === limit) {
      break;
    }
  }
  refuseEmpty(seen.size, environment, config.environment.path ?? environment.name);
  const rollouts = seen.size * samples;
  const turns = Math.min(config.agent.maxTurns, turnsAssumed);
  return {
    environment: environment.name,
    tasks: seen.size,
    samples,
    rollouts,
    mergedRows,
    skippedRows: environment.skippedRows?.() ?? 0,
    draws: [...draws.values()].sort((a, b) => b.rollouts - a.rollouts),
    drawnRollouts,
    skippedToolsets: [...skippedToolsets],
    first,
    disk: { bytes: rollouts * turns * bytesPerTurn, turnsAssumed: turns, bytesPerTurn },
  };
}

function offer(key: string, sample: number, config: ResolvedConfig, catalog: ToolCatalog) {
  return offerTools({
    catalog,
    config: config.toolsets,
    // The oracle acts through the terminal, whatever was drawn.
    required: /^oracle(:|$)/.test(config.model.use) ? ['terminal'] : [],
    runSeed: config.run.seed,
    taskKey: key,
    sample,
  });
}

function firstRequest(
  task: Task,
  key: string,
  environment: Environment,
  config: ResolvedConfig,
  catalog: ToolCatalog,
): FirstRequest {
  const { tools, schemas } = offer(key, 0, config, catalog);
  return {
    taskKey: key,
    id: task.id,
    system: systemPrompt(config.agent.systemPrompt, tools),
    user: environment.prompt?.(task) ?? task.prompt,
    tools: schemas,
  };
}

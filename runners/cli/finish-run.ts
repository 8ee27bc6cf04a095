import { join, relative } from 'node:path';
import { counted } from '../../src/text/counted.js';
import { jsonLine } from '../../src/text/json-line.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import type { BatchResult } from '../batch/batch.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { RunReader } from '../store/run-reader.js';
import { paintFor } from './colours.js';
import type { CommandContext } from './command-context.js';
import { exitCode } from './exit-codes.js';
import { recordHead, recordTail } from './record-text.js';
import { taskTable, totalsLine } from './run-summary.js';
import { trajectoryText } from './trajectory-text.js';

/** Runs up to this size show one of their trajectories: that is what a first look is for. */
const sampleUpTo = 50;

/** How much of the result is printed. */
export interface FinishOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** The command that goes on with the run. */
  readonly resumeCommand: string;
  /** Gives up the exports. */
  readonly signal: AbortSignal;
}

/** Writes the exports, prints the result, and decides the exit code. */
export async function finishRun(
  config: ResolvedConfig,
  batch: BatchResult,
  context: CommandContext,
  options: FinishOptions,
): Promise<number> {
  const { stdout, stderr } = context;
  const reader = await context.services.openRunReader(config.out);
  try {
    const paths =
      batch.end === 'done' ? await writeExports(config, reader, context, options.signal) : [];
    const exported = paths ?? [];
    const result: BatchResult =
      paths === null ? { ...batch, end: 'interrupted', reason: 'interrupted' } : batch;
    const failure = result.end === 'done' ? tooManyFailures(config, result) : null;
    const code = codeOf(result, failure);
    if (options.json) {
      const json = resultJson(config, result, reader, exported, { code, failure, ...options });
      await stdout.write(`${jsonLine(json)}\n`);
      return code;
    }
    await stdout.write(await resultText(config, result, reader, exported, context, options));
    if (failure !== null) {
      await stderr.write(`talaria: ${failure}\n`);
    }
    if (result.end !== 'done') {
      await stderr.write(
        `${result.end === 'stopped' ? `Stopped: ${safeForTerminal(result.reason ?? 'a limit was reached')}` : 'Interrupted'}. Go on with:\n  ${options.resumeCommand}\n`,
      );
    }
    return code;
  } finally {
    reader.close();
  }
}

function codeOf({ end }: BatchResult, failure: string | null): number {
  if (end === 'done') {
    return failure === null ? exitCode.done : exitCode.failed;
  }
  return end === 'stopped' ? exitCode.stopped : exitCode.interrupted;
}

function tooManyFailures(config: ResolvedConfig, { counts }: BatchResult): string | null {
  const { failed } = counts.byStatus;
  const share = counts.rollouts === 0 ? 0 : failed / counts.rollouts;
  return share > config.run.failOnError
    ? `${failed} of ${counted(counts.rollouts, 'rollout')} failed (${percent(share)}), more than run.fail_on_error allows (${percent(config.run.failOnError)}).`
    : null;
}

/** Resolves to null when they were interrupted. */
async function writeExports(
  config: ResolvedConfig,
  reader: RunReader,
  { services }: CommandContext,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const paths: string[] = [];
  for (const name of config.export) {
    const format = await services.loadFormat(name);
    try {
      const { path } = await services.writeExport({
        format,
        records: reader.records(),
        path: join(config.out, 'export', `${format.name}.${format.extension}`),
        options: { systemPreamble: null, onFlag: () => undefined },
        signal,
      });
      paths.push(path);
    } catch (thrown) {
      if (signal.aborted) {
        return null;
      }
      throw thrown;
    }
  }
  return paths;
}

async function resultText(
  config: ResolvedConfig,
  result: BatchResult,
  reader: RunReader,
  exported: readonly string[],
  context: CommandContext,
  { quiet }: FinishOptions,
): Promise<string> {
  const stats = reader.stats();
  const nothing = result.end === 'done' && result.finishedNow === 0 && result.modelCalls === 0;
  const sample =
    quiet || nothing || result.counts.rollouts > sampleUpTo
      ? ''
      : await sampleText(config, reader, context);
  return [
    ...(sample === '' ? [] : [sample]),
    ...(quiet || nothing ? [] : [taskTable(stats)]),
    [
      ...(nothing
        ? [`Nothing to do, 0 model calls: ${everyRollout(result.counts.rollouts)} outcome.`]
        : []),
      totalsLine(result, stats),
      `Run: ${shown(config.out, context.cwd)}`,
      ...exported.map((path) => `Export: ${shown(path, context.cwd)}`),
      '',
    ].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The first trajectory of the run, short. */
async function sampleText(
  config: ResolvedConfig,
  reader: RunReader,
  { stdout, env, cwd }: CommandContext,
): Promise<string> {
  const paint = paintFor(stdout.isTerminal, env);
  for await (const record of reader.records()) {
    return [
      recordHead(record, paint),
      trajectoryText(record.messages.slice(0, 8), { paint, maxLines: 8, maxColumns: 160 }),
      record.messages.length > 8
        ? paint(
            'dim',
            `… ${counted(record.messages.length - 8, 'more message')}: talaria show ${shown(config.out, cwd)} ${record.task_key.slice(0, 8)}#${record.sample}\n`,
          )
        : recordTail(record, paint),
    ].join('\n');
  }
  return '';
}

function everyRollout(rollouts: number): string {
  return rollouts === 1 ? 'the one rollout has its' : `all ${rollouts} rollouts have their`;
}

function resultJson(
  config: ResolvedConfig,
  result: BatchResult,
  reader: RunReader,
  exported: readonly string[],
  {
    code,
    failure,
    resumeCommand,
  }: { readonly code: number; readonly failure: string | null; readonly resumeCommand: string },
) {
  const { counts } = result;
  return {
    name: config.name,
    directory: config.out,
    end: result.end,
    reason: result.reason ?? failure,
    resume_command: result.end === 'done' && counts.pending === 0 ? null : resumeCommand,
    exit_code: code,
    tasks: counts.tasks,
    rollouts: counts.rollouts,
    pending: counts.pending,
    by_status: counts.byStatus,
    mean_reward: reader.stats().meanReward,
    finished_now: result.finishedNow,
    model_calls: result.modelCalls,
    merged_rows: result.mergedRows,
    skipped_rows: result.skippedRows,
    exports: exported,
  };
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

function shown(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return safeForTerminal(short === '' || short.startsWith('..') ? path : short);
}

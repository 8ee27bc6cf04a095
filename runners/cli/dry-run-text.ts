import { counted } from '../../src/text/counted.js';
import { oneLine } from '../../src/text/one-line.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import type { DryRunReport } from '../batch/dry-run.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { Paint } from './colours.js';
import { textTable } from './text-table.js';

/** `talaria run --dry-run`, for people. */
export function dryRunText(config: ResolvedConfig, report: DryRunReport, paint: Paint): string {
  const { first, disk, draws, drawnRollouts } = report;
  const lines = [
    safeForTerminal(`${config.name} would go to ${config.out}`),
    `${oneLine(report.environment, 200)}: ${counted(report.tasks, 'task')} x ${counted(report.samples, 'sample')} = ${counted(report.rollouts, 'rollout')}` +
      (report.mergedRows > 0
        ? `; ${counted(report.mergedRows, 'row')} merged with an earlier one that asks the same`
        : '') +
      (report.skippedRows > 0 ? `; ${counted(report.skippedRows, 'bad row')} skipped` : ''),
    `Model: ${safeForTerminal(config.model.use)}, ${counted(config.agent.maxTurns, 'turn')} at most; ${counted(config.run.concurrency, 'rollout')} at once on ${counted(config.run.threads, 'thread')}`,
    `Disk: ${megabytes(disk.bytes)}, if a rollout has ${counted(disk.turnsAssumed, 'turn')} of ${disk.bytesPerTurn / 1024} KB compressed`,
    '',
  ];
  const table = textTable(
    ['toolsets', 'rollouts', 'share'],
    draws
      .slice(0, 20)
      .map(({ toolsets, rollouts }) => [
        toolsets.length === 0 ? '(none)' : toolsets.join(', '),
        rollouts,
        `${((100 * rollouts) / drawnRollouts).toFixed(1)}%`,
      ]),
  );
  const notes = [
    ...(draws.length > 20 ? [`... and ${counted(draws.length - 20, 'further combination')}`] : []),
    ...(drawnRollouts < report.rollouts
      ? [`(of the first ${counted(drawnRollouts, 'rollout')})`]
      : []),
    ...(report.skippedToolsets.length > 0
      ? [`Not in this build, so left out: ${report.skippedToolsets.join(', ')}`]
      : []),
  ];
  const request =
    first === null
      ? ['There is no task.']
      : [
          '',
          paint(
            'bold',
            `First request (task ${oneLine(first.id ?? first.taskKey.slice(0, 8), 200)})`,
          ),
          paint('dim', 'system'),
          safeForTerminal(first.system),
          paint('blue', 'user'),
          safeForTerminal(first.user),
          paint('cyan', `tools (${first.tools.length})`),
          ...first.tools.map((tool) => safeForTerminal(JSON.stringify(tool))),
          '',
          'No model was called.',
        ];
  return `${lines.join('\n')}\n${draws.length > 0 ? table : ''}${[...notes, ...request].join('\n')}\n`;
}

function megabytes(bytes: number): string {
  const value = bytes / 1e6;
  if (value < 1) {
    return 'less than 1 MB';
  }
  return `about ${value >= 10 ? Math.round(value) : value.toFixed(1)} MB`;
}

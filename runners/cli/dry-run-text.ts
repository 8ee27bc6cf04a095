import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import type { DryRunReport } from '../batch/dry-run.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { Paint } from './colours.js';
import { textTable } from './text-table.js';

/** `talaria run --dry-run`, for people. */
export function dryRunText(config: ResolvedConfig, report: DryRunReport, paint: Paint): string {
  const { first, disk, draws, drawnRollouts } = report;
  const lines = [
    `${config.name} would go to ${config.out}`,
    `${safeForTerminal(report.environment)}: ${report.tasks} tasks x ${report.samples} samples = ${report.rollouts} rollouts` +
      (report.mergedRows > 0 ? `; ${report.mergedRows} rows merged, since they ask the same` : '') +
      (report.skippedRows > 0 ? `; ${report.skippedRows} bad rows skipped` : ''),
    `Model: ${config.model.use}, ${config.agent.maxTurns} turns at most; ${config.run.concurrency} rollouts at once on ${config.run.threads} threads`,
    `Disk: about ${megabytes(disk.bytes)} MB, if a rollout has ${disk.turnsAssumed} turns of ${disk.bytesPerTurn / 1024} KB compressed`,
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
    ...(draws.length > 20 ? [`... and ${draws.length - 20} further combinations`] : []),
    ...(drawnRollouts < report.rollouts ? [`(of the first ${drawnRollouts} rollouts)`] : []),
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
            `First request (task ${safeForTerminal(first.id ?? first.taskKey.slice(0, 8))})`,
          ),
          paint('dim', 'system'),
          safeForTerminal(first.system),
          paint('blue', 'user'),
          safeForTerminal(first.user),
          paint('cyan', `tools (${first.tools.length})`),
          ...first.tools.map((tool) => JSON.stringify(tool)),
          '',
          'No model was called.',
        ];
  return `${lines.join('\n')}\n${draws.length > 0 ? table : ''}${[...notes, ...request].join('\n')}\n`;
}

function megabytes(bytes: number): string {
  const value = bytes / 1e6;
  return value >= 10 ? String(Math.round(value)) : value.toFixed(1);
}

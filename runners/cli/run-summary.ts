import { counted } from '../../src/text/counted.js';
import { oneLine } from '../../src/text/one-line.js';
import type { BatchResult } from '../batch/batch.js';
import { costText, tokensText } from '../reporters/progress-text.js';
import type { RunStats, TaskStats } from '../store/run-reader.js';
import { meanText } from './stats-text.js';
import { textTable } from './text-table.js';
import { toDoText } from './to-do-text.js';

const rowsAtMost = 20;

/** The table at the end of a run: a line per task, 20 at most, and the totals. */
export function taskTable(stats: RunStats): string {
  const rows: TaskStats[] = [];
  let more = 0;
  for (const task of stats.tasks()) {
    if (rows.length < rowsAtMost) {
      rows.push(task);
    } else {
      more++;
    }
  }
  const table = textTable(
    ['task', 'samples', 'passed', 'turns', 'seconds'],
    rows.map((task) => [
      taskName(task),
      task.samples,
      // Not scored is not the same as not passed.
      task.scored === 0 ? '-' : task.passed,
      task.turns,
      task.seconds.toFixed(1),
    ]),
  );
  return rows.length === 0
    ? ''
    : table + (more > 0 ? `... and ${counted(more, 'more task')}\n` : '');
}

/** One line on what the run came to. */
export function totalsLine(result: BatchResult, stats: RunStats): string {
  const { byStatus, rollouts, pending, costUsd, promptTokens, completionTokens } = result.counts;
  const words = (['completed', 'truncated', 'failed', 'discarded', 'cancelled'] as const)
    .filter((status) => byStatus[status] > 0)
    .map((status) => `${byStatus[status]} ${status}`);
  return [
    `${counted(rollouts, 'rollout')}: ${[...words, ...(pending > 0 ? [toDoText(result.counts)] : [])].join(', ') || 'none'}`,
    `mean reward ${meanText(stats.meanReward)}`,
    `${counted(result.modelCalls, 'model call')} in this start`,
    tokensText(promptTokens + completionTokens),
    ...(costUsd === null ? [] : [costText(costUsd)]),
    ...(result.mergedRows > 0 ? [`${counted(result.mergedRows, 'equal row')} merged`] : []),
    ...(result.skippedRows > 0 ? [`${counted(result.skippedRows, 'bad row')} skipped`] : []),
  ].join('; ');
}

function taskName({ id, taskKey }: TaskStats): string {
  return oneLine(id ?? taskKey.slice(0, 12), 40);
}

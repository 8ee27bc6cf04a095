import { counted } from '../../src/text/counted.js';
import { oneLine } from '../../src/text/one-line.js';
import { costText, countText, durationText } from '../reporters/progress-text.js';
import type { RunStats } from '../store/run-reader.js';
import { textTable } from './text-table.js';
import { toDoText } from './to-do-text.js';

/** `talaria stats`, for people. */
export function statsText(name: string, stats: RunStats): string {
  const { counts } = stats;
  const parts = [
    `${oneLine(name, 200)}: ${counted(counts.tasks, 'task')}, ${counted(counts.rollouts, 'rollout')}, ${toDoText(counts)}` +
      (stats.unplanned > 0
        ? `; ${counted(stats.unplanned, 'more outcome')} stored of rows or samples that the plan no longer names\n`
        : '\n'),
    countTable('status', counts.byStatus),
    countTable('exit reason', stats.byExitReason),
    countTable('error', stats.byErrorClass),
    countTable('discarded for', stats.byDiscardReason),
    stats.rewards.length === 0
      ? ''
      : `${textTable(
          ['reward', 'mean', 'scored', 'not applicable', 'failed'],
          stats.rewards.map((reward) => [
            oneLine(reward.name, 60),
            meanText(reward.mean),
            reward.scored,
            reward.notApplicable,
            reward.failed,
          ]),
        )}Mean reward: ${meanText(stats.meanReward)}\n`,
    Object.keys(stats.tools).length === 0
      ? ''
      : textTable(
          ['tool', 'calls', 'success', 'failure'],
          Object.entries(stats.tools)
            .sort(([, a], [, b]) => b.count - a.count)
            .map(([tool, stat]) => [oneLine(tool, 60), stat.count, stat.success, stat.failure]),
        ),
    totals(stats),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** A reward's mean: 3 digits, or `-` for "not scored". */
export function meanText(mean: number | null): string {
  return mean === null ? '-' : mean.toFixed(3);
}

function countTable(title: string, counts: { readonly [name: string]: number }): string {
  const rows = Object.entries(counts).filter(([, count]) => count > 0);
  return rows.length === 0
    ? ''
    : textTable(
        [title, 'rollouts'],
        rows.sort(([, a], [, b]) => b - a).map(([name, count]) => [oneLine(name, 60), count]),
      );
}

function totals(stats: RunStats): string {
  const { counts, reasoning } = stats;
  const share = reasoning.turns === 0 ? 0 : (100 * reasoning.turnsWithReasoning) / reasoning.turns;
  return [
    `Turns: ${stats.turns}, with reasoning ${reasoning.turnsWithReasoning} of ${reasoning.turns} (${share.toFixed(1)}%)`,
    `Model calls: ${counts.modelCalls}, of which replayed ${stats.replayedCalls}; wasted ${stats.wastedCalls}; retries ${stats.retries}`,
    `Tokens: ${countText(counts.promptTokens)} prompt (${countText(stats.cachedTokens)} cached), ${countText(counts.completionTokens)} completion (${countText(stats.reasoningTokens)} reasoning)`,
    `Cost: ${costText(counts.costUsd)}`,
    `Rollout time: ${durationText(stats.rolloutSeconds * 1000)} in total`,
    '',
  ].join('\n');
}

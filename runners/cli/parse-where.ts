import { usageError } from '../../src/errors.js';
import type { ExitReason, RolloutStatus } from '../../src/rollout/exit-reason.js';
import { statusOfExit } from '../../src/rollout/exit-reason.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import type { RecordFilter } from '../store/run-reader.js';

const statuses: readonly string[] = [...new Set(Object.values(statusOfExit)), 'discarded'];
const exitReasons: readonly string[] = Object.keys(statusOfExit);
const fields = ['status', 'exit_reason', 'reward', 'task'];

/**
 * Reads `--where status=completed|truncated,exit_reason=finished,reward>=1,task=ID`. All conditions must hold; `|`
 * stands between words of which one must. `taskKeys` are as the user wrote them: ids, keys, or beginnings of either.
 * Throws a usage error.
 */
export function parseWhere(texts: readonly string[]): RecordFilter {
  const filter: { -readonly [Key in keyof RecordFilter]: RecordFilter[Key] } = {};
  const seen = new Set<string>();
  for (const condition of texts.flatMap((text) => text.split(',')).map((part) => part.trim())) {
    if (condition === '') {
      continue;
    }
    const match = /^([a-z_]+)\s*(>=|=)\s*(.+)$/i.exec(condition);
    const [, field = '', operator = '', value = ''] = match ?? [];
    if (match === null || !fields.includes(field) || (operator === '>=') !== (field === 'reward')) {
      const nearest = nearestName(field, fields);
      throw usageError(
        `--where: cannot read "${condition}"${didYouMean(nearest === field ? null : nearest)} ` +
          'Conditions are status=..., exit_reason=..., reward>=NUMBER and task=ID.',
      );
    }
    if (seen.has(field)) {
      throw usageError(
        `--where: ${field} is given twice.${field === 'reward' ? '' : ` One of several is written ${field}=A|B.`}`,
      );
    }
    seen.add(field);
    const words = value.split('|').map((word) => word.trim());
    if (field === 'status') {
      filter.statuses = checked(words, statuses, 'status') as readonly RolloutStatus[];
    } else if (field === 'exit_reason') {
      filter.exitReasons = checked(words, exitReasons, 'exit reason') as readonly ExitReason[];
    } else if (field === 'task') {
      filter.taskKeys = words;
    } else {
      filter.minReward = rewardOf(value);
    }
  }
  return filter;
}

function rewardOf(text: string): number {
  const reward = Number(text);
  if (!Number.isFinite(reward)) {
    throw usageError(`--where: expected a number after reward>=, got "${text}".`);
  }
  return reward;
}

function checked(
  words: readonly string[],
  known: readonly string[],
  what: string,
): readonly string[] {
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw usageError(
      `--where: unknown ${what} "${unknown}"${didYouMean(nearestName(unknown, known))} There are ${known.join(', ')}.`,
    );
  }
  return words;
}

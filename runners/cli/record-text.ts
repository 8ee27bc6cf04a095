import type { RolloutRecord } from '../../src/rollout/record.js';
import { counted } from '../../src/text/counted.js';
import { oneLine } from '../../src/text/one-line.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import { costText, tokensText } from '../reporters/progress-text.js';
import type { Paint } from './colours.js';

/** What stands above a trajectory: which rollout, how it ended, with which tools. */
export function recordHead(record: RolloutRecord, paint: Paint): string {
  const name = oneLine(record.task.id ?? record.task_key.slice(0, 12), 200);
  const colour = record.status === 'completed' ? 'green' : 'red';
  const lines = [
    `${paint('bold', `${name}#${record.sample}`)}  ${paint(colour, record.status)} (${record.exit_reason})`,
    `model ${oneLine(record.model, 200)}; toolsets ${oneLine(record.toolsets.join(', '), 200) || 'none'}; ` +
      `${counted(record.turns, 'turn')}, ${record.timings.total_s.toFixed(1)} s, ` +
      `${tokensText(record.usage.prompt_tokens + record.usage.completion_tokens)}, cost ${costText(record.cost_usd)}`,
    ...(record.error === null
      ? []
      : [paint('red', `${record.error.class}: ${safeForTerminal(record.error.message)}`)]),
    ...(record.discard_reason === null
      ? []
      : [paint('yellow', `discarded: ${safeForTerminal(record.discard_reason)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** What stands below it: the rewards. Empty when there are none. */
export function recordTail(record: RolloutRecord, paint: Paint): string {
  return record.rewards
    .map(({ name, state, value, error, explanation }) => {
      const shown = state === 'scored' ? String(value) : state.replace('_', ' ');
      const why = error ?? explanation;
      return `${paint('bold', `reward ${oneLine(name, 60)}`)}: ${shown}${why === null ? '' : `  ${oneLine(why, 200)}`}\n`;
    })
    .join('');
}

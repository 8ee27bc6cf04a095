import type { RolloutRecord } from '../../src/rollout/record.js';
import { counted } from '../../src/text/counted.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import { costText, tokensText } from '../reporters/progress-text.js';
import type { Paint } from './colours.js';

/** What stands above a trajectory: which rollout, how it ended, with which tools. */
export function recordHead(record: RolloutRecord, paint: Paint): string {
  const name = safeForTerminal(record.task.id ?? record.task_key.slice(0, 12));
  const colour = record.status === 'completed' ? 'green' : 'red';
  const lines = [
    `${paint('bold', `${name}#${record.sample}`)}  ${paint(colour, record.status)} (${record.exit_reason})`,
    `model ${safeForTerminal(record.model)}; toolsets ${record.toolsets.join(', ') || 'none'}; ` +
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
      return `${paint('bold', `reward ${safeForTerminal(name)}`)}: ${shown}${why === null ? '' : `  ${oneLine(why)}`}\n`;
    })
    .join('');
}

/** An explanation may be the end of a test's output. */
function oneLine(text: string): string {
  const line = safeForTerminal(text).replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

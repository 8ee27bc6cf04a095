import { usageError } from '../../../src/errors.js';
import { isJsonObject, parseJson } from '../../../src/json.js';
import type { Message } from '../../../src/messages/message.js';
import { counted } from '../../../src/text/counted.js';
import { jsonLine } from '../../../src/text/json-line.js';
import { oneLine } from '../../../src/text/one-line.js';
import type { FoundRollout } from '../../store/run-reader.js';
import type { JournalEntry } from '../../store/run-store.js';
import { type Paint, paintFor } from '../colours.js';
import type { CommandBody } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { findRun } from '../find-run.js';
import { recordHead, recordTail } from '../record-text.js';
import { type TrajectoryTextOptions, trajectoryText } from '../trajectory-text.js';

/** `talaria show <run> <task>[#sample]` */
export const show: CommandBody = async ({ positionals, flags }, context) => {
  const [run = '', reference = ''] = positionals;
  const { task, sample } = parseReference(reference);
  const reader = await context.services.openRunReader(findRun(run, context.cwd));
  try {
    const found = reader.find(task, sample);
    await context.stdout.write(
      flags.has('json')
        ? `${jsonLine(found.record ?? { task: found.task, sample, journal: found.journal })}\n`
        : rolloutText(found, {
            paint: paintFor(context.stdout.isTerminal, context.env),
            maxLines: flags.has('full') ? Number.POSITIVE_INFINITY : 40,
            maxColumns: flags.has('full') ? Number.POSITIVE_INFINITY : 2000,
          }),
    );
  } finally {
    reader.close();
  }
  return exitCode.done;
};

/** `task#1` is the second sample; without a number it is the first. A task's id may hold a `#` itself. */
export function parseReference(reference: string): { task: string; sample: number } {
  const match = /^(.+)#(\d{1,9})$/.exec(reference);
  if (reference === '' || reference.startsWith('#')) {
    throw usageError(`Expected <task>[#sample], got "${reference}". Example: word-count#1`);
  }
  return match === null
    ? { task: reference, sample: 0 }
    : { task: match[1] ?? '', sample: Number(match[2]) };
}

function rolloutText(found: FoundRollout, options: TrajectoryTextOptions): string {
  const { record, journal, task } = found;
  if (record !== null) {
    return [
      recordHead(record, options.paint),
      trajectoryText(record.messages, options),
      recordTail(record, options.paint),
    ].join('\n');
  }
  const title = `${oneLine(task.id ?? found.taskKey.slice(0, 12), 200)}#${found.sample}`;
  return [
    `${options.paint('bold', title)} has no outcome yet; ${counted(journal.length, 'reply', { plural: 'replies' })} so far\n`,
    trajectoryText([{ role: 'user', content: task.prompt }, ...repliesOf(journal)], options),
    ...(journal.length === 0 ? [] : [note(options.paint)]),
  ].join('\n');
}

function note(paint: Paint): string {
  return paint('dim', 'Results of tools are stored when a rollout ends.\n');
}

/** The journal holds replies as JSON text: whatever they lack is left out. */
function repliesOf(journal: readonly JournalEntry[]): readonly Message[] {
  return journal.map(({ reply }): Message => {
    const parsed = parseJson(reply);
    const value = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    const calls = Array.isArray(value['tool_calls'])
      ? value['tool_calls'].filter(isJsonObject)
      : [];
    return {
      role: 'assistant',
      content: typeof value['content'] === 'string' ? value['content'] : '',
      reasoning: typeof value['reasoning'] === 'string' ? value['reasoning'] : null,
      tool_calls: calls.map((call) => ({
        id: String(call['id'] ?? ''),
        name: String(call['name'] ?? ''),
        arguments: String(call['arguments'] ?? ''),
      })),
      finish_reason: 'unknown',
      model: '',
    };
  });
}

import type { Message, ToolMessage } from '../../src/messages/message.js';
import { counted } from '../../src/text/counted.js';
import { oneLine } from '../../src/text/one-line.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import type { Paint } from './colours.js';

/** Options of {@link trajectoryText}. */
export interface TrajectoryTextOptions {
  readonly paint: Paint;
  /** Lines of one text at most; the middle is left out. Infinity for all. */
  readonly maxLines: number;
  /** Characters of one line at most. */
  readonly maxColumns: number;
}

/** A conversation for reading on a terminal. Whatever a model or a tool wrote is made safe first. */
export function trajectoryText(
  messages: readonly Message[],
  options: TrajectoryTextOptions,
): string {
  return messages.map((message) => messageText(message, options)).join('\n');
}

function messageText(message: Message, options: TrajectoryTextOptions): string {
  const { paint } = options;
  switch (message.role) {
    case 'system':
      return block(paint('dim', 'system'), message.content, options);
    case 'user':
      return block(
        paint('blue', message.synthetic === true ? 'user (written by the loop)' : 'user'),
        message.content,
        options,
      );
    case 'tool':
      return block(toolTitle(message, paint), message.content, options);
    case 'assistant': {
      const title = paint('green', message.summary === true ? 'assistant (summary)' : 'assistant');
      return [
        message.content.trim() === '' ? `${title}\n` : block(title, message.content, options),
        ...(message.reasoning === null || message.reasoning.trim() === ''
          ? []
          : [block(paint('magenta', '  reasoning'), message.reasoning, options)]),
        ...message.tool_calls.map((call) =>
          block(
            `  ${paint('cyan', `${oneLine(call.name, 80)}()`)} ${paint('dim', oneLine(call.id, 80))}`,
            argumentsText(call.arguments),
            options,
          ),
        ),
      ].join('');
    }
  }
}

function toolTitle(
  { name, status, tool_call_id, tier, original_chars }: ToolMessage,
  paint: Paint,
) {
  const state = status === 'ok' ? paint('dim', 'ok') : paint('red', status);
  const cut =
    tier === null ? '' : paint('yellow', ` shortened from ${counted(original_chars, 'character')}`);
  return `${paint('cyan', oneLine(name, 80))} ${paint('dim', oneLine(tool_call_id, 80))} ${state}${cut}`;
}

/** A single text argument, such as a command or a file's content, is shown as itself. */
function argumentsText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.entries(value)
        .map(
          ([key, inner]) => `${key}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`,
        )
        .join('\n');
    }
  } catch {
    // As the model wrote it.
  }
  return text;
}

function block(title: string, text: string, options: TrajectoryTextOptions): string {
  const lines = safeForTerminal(text).replace(/\s+$/, '').split('\n');
  return [title, ...shortened(lines, options).map((line) => `    ${line}`)]
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function shortened(lines: readonly string[], options: TrajectoryTextOptions): readonly string[] {
  const { maxLines, maxColumns, paint } = options;
  const narrow = lines.map((line) =>
    line.length > maxColumns ? `${line.slice(0, maxColumns - 1)}…` : line,
  );
  if (narrow.length <= maxLines) {
    return narrow;
  }
  const head = Math.ceil((maxLines - 1) / 2);
  const tail = maxLines - 1 - head;
  return [
    ...narrow.slice(0, head),
    paint('dim', `… ${counted(narrow.length - head - tail, 'more line')} …`),
    ...narrow.slice(narrow.length - tail),
  ];
}

import { type Json, parseJson } from '../../src/json.js';
import { BadTask } from '../bad-task.js';
import { checkFitForJson } from '../fit-for-json.js';
import type { Line } from './read-lines.js';
import { wellFormed } from './well-formed.js';

/** The JSON value of a line; undefined for a blank one. Throws {@link BadTask}. */
export function parseRow({ text }: Line): Json | undefined {
  if (text === null) {
    throw new BadTask('not UTF-8 text. Save the file as UTF-8');
  }
  if (text.trim() === '') {
    return undefined;
  }
  const parsed = parseJson(text);
  if (!parsed.ok) {
    throw new BadTask(
      `not JSON${column(parsed.error, text)} (${parsed.error.toWellFormed()}). Each line must be one whole JSON object`,
    );
  }
  checkFitForJson(parsed.value);
  // The file's bytes are UTF-8, so only an escape can have made a lone surrogate.
  return text.includes('\\u') && /\\u[dD][89a-fA-F]/.test(text)
    ? wellFormed(parsed.value)
    : parsed.value;
}

function column(error: string, text: string): string {
  const position = /at position (\d+)/.exec(error)?.[1];
  if (position !== undefined) {
    return ` at column ${Number(position) + 1}`;
  }
  return error.includes('end of JSON input') ? ` at column ${text.length + 1}` : '';
}

import { isJsonObject, parseJson } from '../json.js';
import type { ToolCall } from '../messages/message.js';
import { firstCodePoints } from '../text/code-points.js';
import { plainText } from '../text/plain-text.js';

/** One short line about a call for a progress display: its first text argument, else its arguments as written. */
export function summarizeCall(call: ToolCall): string {
  const beginning = call.arguments.slice(0, longestParsed);
  const parsed = beginning === call.arguments ? parseJson(beginning) : null;
  const first =
    parsed?.ok && isJsonObject(parsed.value)
      ? Object.values(parsed.value).find((value) => typeof value === 'string')
      : undefined;
  const line = plainText(String(first ?? beginning).toWellFormed())
    .replace(/\s+/g, ' ')
    .trim();
  return firstCodePoints(line, longestSummary);
}

const longestSummary = 120;

/** Arguments longer than this (the content of a file) are not parsed a second time for a line of 120 characters. */
const longestParsed = 10_000;

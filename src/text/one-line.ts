import { safeForTerminal } from './safe-for-terminal.js';

/** Text on one line of a terminal: safe to write, any white space a single space, and no longer than `maxChars`. */
export function oneLine(text: string, maxChars: number): string {
  // What a line cannot show need not be cleaned: names and ids that a model makes up may have megabytes.
  const start = text.slice(0, maxChars * 4);
  const line = safeForTerminal(start).replace(/\s+/g, ' ').trim();
  const whole = start.length === text.length && line.length <= maxChars;
  return whole ? line : `${line.slice(0, maxChars - 1)}…`.toWellFormed();
}

import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import type { RunNotice } from './reporter.js';

/** A notice as a line, or several, for people. It may quote a server, a model or a user's module. */
export function noticeText({ level, message }: RunNotice): string {
  return `${level === 'info' ? '' : `${level}: `}${safeForTerminal(message)}\n`;
}

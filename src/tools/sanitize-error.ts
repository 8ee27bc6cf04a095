import { codePointLength, firstCodePoints } from '../text/code-points.js';
import { plainText } from '../text/plain-text.js';

/**
 * An error text that is safe to put before a model: without the marks by which chat templates and tool-call formats
 * begin and end a turn (an exception can quote what a file or a web page said), and at most 2,000 code points.
 */
export function sanitizeError(text: string): string {
  const clean = withoutMarks(plainText(text.slice(0, longestInput).toWellFormed())).trim();
  return text.length > longestInput || codePointLength(clean) > longestText
    ? `${firstCodePoints(clean, longestText - cutNotice.length)}${cutNotice}`
    : clean;
}

const longestText = 2_000;
const longestInput = 20_000;
const cutNotice = ' [cut]';

/** Taking a mark out can make a new one of what stood on its two sides, so it is done until nothing changes. */
function withoutMarks(text: string): string {
  let clean = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const next = marks.reduce((rest, mark) => rest.replace(mark, ' '), clean);
    if (next === clean) {
      return clean;
    }
    clean = next;
  }
  return clean.replace(/[<>[\]`~]/g, ' ');
}

const mostRounds = 8;

const tagNames = [
  'system',
  'developer',
  'user',
  'human',
  'assistant',
  'tool',
  'tools',
  'tool_calls?',
  'tool_response',
  'tool_results?',
  'tool_use',
  'tool_outputs?',
  'function(?:=[^<>]{0,100})?',
  'function_calls?',
  'function_results?',
  'invoke',
  'parameter(?:=[^<>]{0,100})?',
  'think',
  'thinking',
  'reasoning',
  'reasoning_scratchpad',
  'persisted-output',
  's',
];

const marks: readonly RegExp[] = [
  /<\|[^|<>]{0,80}\|>/g,
  /<｜[^｜<>]{0,80}｜>/g,
  new RegExp(`</?(?:[a-z]+:)?(?:${tagNames.join('|')})(?:\\s[^<>]{0,200})?/?>`, 'gi'),
  /\[\/?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]/gi,
  /<<\/?SYS>>/gi,
  /<!\[CDATA\[|\]\]>/gi,
  /`{3,}|~{3,}/g,
];

import { checkConversation } from '../messages/check-conversation.js';
import { counted } from '../text/counted.js';
import type { RolloutRecord } from './record.js';

/**
 * What is wrong with a record, one sentence a finding; empty for a good one. Checked: the conversation (each call
 * answered exactly once), equal lengths of token arrays, finite numbers and well-formed Unicode anywhere, and that
 * JSON can carry all of it. Reads every string once and copies nothing.
 */
export function checkRecord(record: RolloutRecord): string[] {
  const problems = checkConversation(record.messages).map(
    ({ index, message }) => `message ${index}: ${message}`,
  );
  const unfit = findUnfit(record, 0);
  if (unfit !== null) {
    problems.push(`record${unfit.path} is ${unfit.what}`);
  }
  problems.push(...checkTokens(record));
  return problems;
}

const maxDepth = 200;

interface Unfit {
  readonly path: string;
  readonly what: string;
}

/** The first value that JSON would lose or change. The path is put together on the way back, so a good record pays nothing for it. */
function findUnfit(value: unknown, depth: number): Unfit | null {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? null : { path: '', what: 'not well-formed Unicode' };
    case 'number':
      return Number.isFinite(value) ? null : { path: '', what: String(value) };
    case 'boolean':
      return null;
    case 'object':
      break;
    default:
      return { path: '', what: `of type ${typeof value}` };
  }
  if (value === null) {
    return null;
  }
  if (depth === maxDepth) {
    return { path: '', what: `nested more than ${maxDepth} levels deep` };
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const unfit = findUnfit(value[index], depth + 1);
      if (unfit !== null) {
        return { path: `[${index}]${unfit.path}`, what: unfit.what };
      }
    }
    return null;
  }
  for (const key in value) {
    const item: unknown = value[key as keyof typeof value];
    if (item === undefined) {
      continue;
    }
    const unfit = key.isWellFormed()
      ? findUnfit(item, depth + 1)
      : { path: '', what: 'under a key that is not well-formed Unicode' };
    if (unfit !== null) {
      return { path: `.${key.toWellFormed()}${unfit.path}`, what: unfit.what };
    }
  }
  return null;
}

function checkTokens({ tokens, messages }: RolloutRecord): string[] {
  if (tokens === null) {
    return [];
  }
  const problems: string[] = [];
  const turns = messages.filter((message) => message.role === 'assistant').length;
  if (tokens.turns.length !== turns) {
    problems.push(
      `tokens of ${counted(tokens.turns.length, 'turn')} for ${counted(turns, 'assistant message')}`,
    );
  }
  for (const [index, turn] of tokens.turns.entries()) {
    if (turn !== null && turn.completion_ids.length !== turn.completion_logprobs.length) {
      problems.push(
        `turn ${index}: ${counted(turn.completion_ids.length, 'completion id')} and ${counted(turn.completion_logprobs.length, 'logprob')}`,
      );
    }
  }
  return problems;
}

import { canonicalJson } from '../json.js';
import type { ToolCall, ToolMessage } from '../messages/message.js';
import { parseToolArguments } from '../messages/parse-tool-arguments.js';

/**
 * Counts how often in a row the same tool was called with the same arguments and gave the same result. Keeps the
 * last call only, and compares the cheapest thing first, since nearly all calls differ.
 */
export class RepeatedCalls {
  #last: { readonly call: ToolCall; readonly result: ToolMessage } | null = null;
  #count = 0;

  /** Takes the next call with its result, in call order, and returns how often it now came in a row. */
  add(call: ToolCall, result: ToolMessage): number {
    const last = this.#last;
    const repeated =
      last !== null &&
      last.result.sha256 === result.sha256 &&
      last.result.status === result.status &&
      last.call.name === call.name &&
      sameArguments(last.call.arguments, call.arguments);
    this.#count = repeated ? this.#count + 1 : 1;
    this.#last = { call, result };
    return this.#count;
  }
}

/** Equal but for white space and the order of keys. */
function sameArguments(a: string, b: string): boolean {
  if (a === b) {
    return true;
  }
  const [left, right] = [parseToolArguments(a), parseToolArguments(b)];
  return left.ok && right.ok && canonicalJson(left.value) === canonicalJson(right.value);
}

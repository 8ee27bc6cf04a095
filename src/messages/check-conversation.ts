import type { AssistantMessage, Message, ToolMessage } from './message.js';

/** One rule that a conversation breaks. */
export interface BrokenRule {
  readonly rule: ConversationRule;
  /** 0-based index of the message where it shows. */
  readonly index: number;
  /** What is wrong, in a sentence. */
  readonly message: string;
}

/**
 * - `order`: a system message only at the start, then a user message; never two user or two assistant messages in a row.
 * - `call_id`: every tool call has an id, unique in the whole conversation.
 * - `unanswered_call`: each call is answered before the next message that is no tool result.
 * - `stray_result`: each tool result answers the next open call of the assistant message before it.
 * - `unparsed_call_ran`: a call whose arguments could not be parsed was not run.
 * - `lone_surrogate`: every text is well-formed Unicode.
 */
export type ConversationRule =
  | 'order'
  | 'call_id'
  | 'unanswered_call'
  | 'stray_result'
  | 'unparsed_call_ran'
  | 'lone_surrogate';

/**
 * Lists every rule that the messages of a trajectory break; empty for a well-formed one. Pure, and linear in the
 * number of messages. An empty conversation is well formed, and so is one that a limit ended on a tool result.
 */
export function checkConversation(messages: readonly Message[]): BrokenRule[] {
  const checker = new ConversationChecker();
  messages.forEach((message, index) => {
    checker.add(message, index);
  });
  checker.end(messages.length);
  return checker.broken;
}

class ConversationChecker {
  readonly broken: BrokenRule[] = [];
  readonly #ids = new Set<string>();
  #previous: Message | null = null;
  /** The assistant message whose calls are being answered, and how many of them are. */
  #asking: AssistantMessage | null = null;
  #answered = 0;

  add(message: Message, index: number): void {
    if (message.role === 'tool') {
      this.#checkResult(message, index);
    } else {
      this.end(index);
      this.#checkOrder(message, index);
    }
    if (message.role === 'assistant') {
      this.#checkIds(message, index);
      this.#asking = message;
      this.#answered = 0;
    }
    this.#checkText(message, index);
    this.#previous = message;
  }

  /** Ends the results of an assistant message: what is still open is unanswered. */
  end(index: number): void {
    const open = this.#asking?.tool_calls.slice(this.#answered) ?? [];
    this.#asking = null;
    for (const call of open) {
      this.#report('unanswered_call', index, `The tool call ${quoted(call.id)} has no result.`);
    }
  }

  #checkOrder(message: Message, index: number): void {
    const previous = this.#previous;
    if (message.role === 'system') {
      if (index !== 0) {
        this.#report('order', index, 'A system message stands after the start.');
      }
    } else if (message.role === 'assistant') {
      if (previous === null || previous.role === 'system' || previous.role === 'assistant') {
        const before = previous === null ? 'nothing' : `the ${previous.role} message`;
        this.#report('order', index, `An assistant message follows ${before}.`);
      }
    } else if (previous?.role === 'user') {
      this.#report('order', index, 'A user message follows a user message.');
    }
  }

  #checkIds(message: AssistantMessage, index: number): void {
    for (const call of message.tool_calls) {
      if (call.id === '') {
        this.#report('call_id', index, `A call of ${quoted(call.name)} has no id.`);
      } else if (this.#ids.has(call.id)) {
        this.#report('call_id', index, `The tool call id ${quoted(call.id)} is used twice.`);
      }
      this.#ids.add(call.id);
    }
  }

  #checkResult(message: ToolMessage, index: number): void {
    const call = this.#asking?.tool_calls[this.#answered];
    if (call === undefined || call.id !== message.tool_call_id) {
      const expected = call === undefined ? 'no call is open' : `${quoted(call.id)} is next`;
      const id = quoted(message.tool_call_id);
      this.#report('stray_result', index, `A result for ${id} stands where ${expected}.`);
      return;
    }
    this.#answered += 1;
    if (call.parse_error !== undefined && (message.status === 'ok' || message.status === 'error')) {
      this.#report(
        'unparsed_call_ran',
        index,
        `The call ${quoted(call.id)} ran without arguments.`,
      );
    }
  }

  #checkText(message: Message, index: number): void {
    if (!textsOf(message).every((text) => text.isWellFormed())) {
      this.#report('lone_surrogate', index, `The ${message.role} message has a lone surrogate.`);
    }
  }

  #report(rule: ConversationRule, index: number, message: string): void {
    this.broken.push({ rule, index, message });
  }
}

function textsOf(message: Message): string[] {
  if (message.role === 'tool') {
    return [message.content, message.tool_call_id, message.name];
  }
  if (message.role !== 'assistant') {
    return [message.content];
  }
  const calls = message.tool_calls.flatMap((call) => [
    call.id,
    call.name,
    call.arguments,
    call.parse_error ?? '',
  ]);
  return [message.content, message.reasoning ?? '', message.model, ...calls];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

import type { JsonObject } from '../../src/json.js';
import type { FakeModelScript } from './script.js';

export interface ToolLoopOptions {
  /** Assistant turns with a tool call before the answer; so the model is asked once more than this. */
  readonly turns: number;
  /** @default 'terminal' */
  readonly tool?: string;
  /** Arguments of each call, or of the call in one turn (0-based). @default { command: 'true' } */
  readonly arguments?: JsonObject | ((turn: number) => JsonObject);
  /** Reasoning of each turn; null for none. @default a sentence that names the turn */
  readonly reasoning?: string | null | ((turn: number) => string);
  /** @default 'Done.' */
  readonly answer?: string;
}

/** A script that calls one tool until the conversation has so many assistant turns, and then answers. */
export function toolLoop(options: ToolLoopOptions): FakeModelScript {
  const { turns, tool = 'terminal', answer = 'Done.' } = options;
  return ({ assistantTurns: turn }) => {
    const reasoning = reasoningOf(options, turn);
    const thought = reasoning === null ? {} : { reasoning };
    if (turn >= turns) {
      return { ...thought, content: answer };
    }
    const given = options.arguments ?? { command: 'true' };
    return {
      ...thought,
      content: null,
      toolCalls: [{ name: tool, arguments: typeof given === 'function' ? given(turn) : given }],
    };
  };
}

function reasoningOf({ reasoning, turns }: ToolLoopOptions, turn: number): string | null {
  if (reasoning === undefined) {
    return turn < turns ? `Step ${turn + 1}: the tool comes next.` : 'Everything is done.';
  }
  return typeof reasoning === 'function' ? reasoning(turn) : reasoning;
}

import type { AssistantMessage, ToolMessage } from '../messages/message.js';
import type { AgentConfig } from './agent.js';
import { RepeatedCalls } from './repeated-calls.js';

/** Notices an agent that gets nowhere: calls that are never valid, or the same call again and again. */
export class LoopGuard {
  readonly #limits: Pick<AgentConfig, 'maxInvalidTurns' | 'maxRepeatedCalls'>;
  readonly #repeated = new RepeatedCalls();
  #invalidTurns = 0;

  constructor(limits: Pick<AgentConfig, 'maxInvalidTurns' | 'maxRepeatedCalls'>) {
    this.#limits = limits;
  }

  /** Takes the calls of one turn with their results, in the same order. Returns why to stop, or null. */
  add(
    { tool_calls: calls }: AssistantMessage,
    results: readonly ToolMessage[],
  ): 'invalid_tool_calls' | 'tool_loop' | null {
    const allInvalid = results.every((result) => result.status === 'invalid');
    this.#invalidTurns = allInvalid ? this.#invalidTurns + 1 : 0;
    let mostRepeated = 0;
    results.forEach((result, index) => {
      const call = calls[index];
      if (call !== undefined) {
        mostRepeated = Math.max(mostRepeated, this.#repeated.add(call, result));
      }
    });
    if (this.#invalidTurns >= this.#limits.maxInvalidTurns) {
      return 'invalid_tool_calls';
    }
    return mostRepeated >= this.#limits.maxRepeatedCalls ? 'tool_loop' : null;
  }
}

import type { AssistantMessage, Message } from '../messages/message.js';

/** Assistant turns of a trajectory, and how many of them show reasoning. */
export interface ReasoningTurns {
  readonly turns: number;
  readonly turns_with_reasoning: number;
}

/**
 * Counts the turns that have reasoning in any of its encodings: the message's own field, or text that a server left in
 * the content (a block in tags at its start, or a closing tag whose opening was part of the server's template).
 * Blank reasoning does not count, and neither does a tag that is only mentioned in the answer.
 */
export function reasoningTurns(messages: readonly Message[]): ReasoningTurns {
  let turns = 0;
  let turnsWithReasoning = 0;
  for (const message of messages) {
    if (message.role === 'assistant') {
      turns++;
      turnsWithReasoning += hasReasoning(message) ? 1 : 0;
    }
  }
  return { turns, turns_with_reasoning: turnsWithReasoning };
}

const openingTag = /^\s*<(think|thinking|thought|reasoning|reasoning_scratchpad)>/i;
const closingThink = '</think>';

function hasReasoning({ reasoning, content }: AssistantMessage): boolean {
  if (reasoning !== null && reasoning.trim() !== '') {
    return true;
  }
  const opening = openingTag.exec(content);
  if (opening !== null) {
    const start = opening[0].length;
    const end = content.toLowerCase().indexOf(`</${opening[1]?.toLowerCase()}>`, start);
    return content.slice(start, end < 0 ? undefined : end).trim() !== '';
  }
  const end = content.indexOf(closingThink);
  return (
    end > 0 && !content.slice(0, end).includes('<think') && content.slice(0, end).trim() !== ''
  );
}

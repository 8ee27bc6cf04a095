import type { Tool } from '../src/tools/tool.js';

/**
 * The system prompt of a rollout: the user's own, as it is, or the built-in one. It depends on the offered tools alone
 * (no date, no path, no name), so that a resumed rollout asks its model exactly what it asked before.
 */
export function systemPrompt(configured: string | null, tools: readonly Tool[]): string {
  if (configured !== null) {
    return configured;
  }
  const parts = [
    'You are a capable assistant that completes tasks on its own. Nobody can answer questions while you work: where something is unclear, choose the most sensible reading, say so, and go on.',
  ];
  if (tools.length > 0) {
    parts.push(
      'You have tools. Use them to find out what is true and to do the work, rather than guessing or describing what could be done. When a call fails, read its message and try something else.',
    );
  }
  if (tools.some((tool) => tool.needsSandbox)) {
    parts.push(
      'Commands and files belong to a sandbox that was made for this task alone, and you may change anything in it. Before you finish, check that your result does what was asked.',
    );
  }
  parts.push(
    tools.length > 0
      ? 'When the task is done, reply without calling a tool and give the result in a few sentences.'
      : 'Think the task through, then give the result.',
  );
  return parts.join('\n\n');
}

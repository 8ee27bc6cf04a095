import type { z } from 'zod';
import type { JsonObject } from '../../../../src/json.js';
import type { SandboxSession } from '../../../../src/sandbox/sandbox.js';
import type { Tool, ToolContext } from '../../../../src/tools/tool.js';

export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    get sandbox(): SandboxSession {
      if (given.sandbox === undefined) {
        throw new Error('This rollout has no sandbox.');
      }
      return given.sandbox;
    },
    signal: given.signal ?? new AbortController().signal,
    state: given.state ?? new Map(),
  };
}

/** Calls a tool as dispatch does, with its arguments checked, and reads its text as JSON. */
export async function callTool<Parameters extends z.ZodType>(
  tool: Tool<Parameters>,
  args: JsonObject,
  context: Partial<ToolContext> = {},
): Promise<{
  readonly ok: boolean;
  readonly value: Record<string, unknown>;
  readonly content: string;
  readonly originalChars: number | undefined;
}> {
  const result = await tool.execute(tool.parameters.parse(args), toolContext(context));
  const value: Record<string, unknown> = JSON.parse(result.content);
  return { ok: result.ok, value, content: result.content, originalChars: result.originalChars };
}

import type { z } from 'zod';
import type { JsonObject } from '../json.js';
import type { SandboxSession } from '../sandbox/sandbox.js';

/**
 * A tool that an agent can call: one file in `tools/builtin/`, one export. Expected errors are results that
 * the model can react to; a thrown error is a bug, and dispatch turns it into a result as well.
 */
export interface Tool<Parameters extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly toolset: string;
  /** What the model reads. */
  readonly description: string;
  readonly parameters: Parameters;
  /**
   * `read`: runs in parallel with other reads. `write` and `command` are barriers: what came before has
   * ended, and what comes after has not begun.
   */
  readonly effect: 'read' | 'write' | 'command';
  /** Whether it acts in the sandbox. A rollout none of whose tools does may run without one. */
  readonly needsSandbox: boolean;
  /** Why the tool cannot be offered here, or null when it can. Absent: always available. */
  unavailable?(): Promise<string | null>;
  execute(args: z.infer<Parameters>, context: ToolContext): Promise<ToolResult>;
}

/** What a tool may touch. */
export interface ToolContext {
  /** Narrow: no lifecycle. Throws when the rollout has no sandbox; only tools with `needsSandbox` may ask. */
  readonly sandbox: SandboxSession;
  readonly signal: AbortSignal;
  /** State of this rollout alone, by tool name; lives as long as the rollout. */
  readonly state: Map<string, unknown>;
}

/** The text for the model, whether it is a success, and what tier 1 (the tool's own cap) did. */
export interface ToolResult {
  readonly content: string;
  readonly ok: boolean;
  /** Code points before the tool's own cap; absent when nothing was cut. */
  readonly originalChars?: number;
}

/** A tool as the model is told of it. `parameters` is JSON Schema. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

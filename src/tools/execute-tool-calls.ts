import type { Clock } from '../clock.js';
import type { ToolCall, ToolMessage } from '../messages/message.js';
import type { EmitEvent } from '../rollout/event.js';
import type { Tool, ToolContext } from './tool.js';

/** The tool calls of one assistant message. */
export interface ToolBatch {
  readonly calls: readonly ToolCall[];
  /** The tools that were offered, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly context: ToolContext;
  readonly turn: number;
  readonly timeoutMs: number;
  /** Code points of one result that the model may see. */
  readonly maxResultChars: number;
  readonly clock: Clock;
  readonly emit: EmitEvent;
}

export interface ToolBatchResult {
  /** Exactly one for each call, in call order, whatever happened. */
  readonly messages: readonly ToolMessage[];
  /** Why the sandbox is gone, or null. The calls after it are answered as cancelled. */
  readonly sandboxGone: string | null;
}

import type { Clock } from '../clock.js';
import { sha256 } from '../hash.js';
import type { AbortLike } from '../lazy-abort.js';
import type { ToolCall, ToolMessage } from '../messages/message.js';
import type { EmitEvent } from '../rollout/event.js';
import { capOutput } from '../text/cap-output.js';
import { planSegments } from './plan-segments.js';
import { type PreparedCall, prepareCall } from './prepare-call.js';
import { errorText, runTool, type ToolRunResult } from './run-tool.js';
import { summarizeCall } from './summarize-call.js';
import type { Tool, ToolContext } from './tool.js';

/** The tool calls of one assistant message. */
export interface ToolBatch {
  readonly calls: readonly ToolCall[];
  /** The tools that were offered, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly context: ToolContext;
  /** Aborts with the context's signal, and costs less to listen to. */
  readonly signal: AbortLike;
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

/** Calls of one segment that run at the same time. */
const mostParallelCalls = 8;

/**
 * Answers every tool call of one assistant message. A call runs at most once, and only with arguments that its tool
 * accepts. Never rejects, and settles within `timeoutMs` per call, whatever the tools do.
 */
export async function executeToolCalls(batch: ToolBatch): Promise<ToolBatchResult> {
  const { calls, tools, signal } = batch;
  const prepared = calls.map((call) => prepareCall(call, tools));
  const messages = new Map<number, ToolMessage>();
  let sandboxGone: string | null = null;

  const answer = async (index: number) => {
    const call = calls[index];
    const preparedCall = prepared[index];
    if (call === undefined || preparedCall === undefined || signal.aborted) {
      return;
    }
    if (sandboxGone === null) {
      const { message, gone } = await answerCall(call, preparedCall, batch);
      messages.set(index, message);
      sandboxGone ??= gone;
    }
  };
  const effects = prepared.map((one) => (one.ready ? one.tool.effect : null));
  for (const segment of planSegments(effects)) {
    await forEachLimited(segment, mostParallelCalls, answer);
  }

  const reason = sandboxGone === null ? 'the rollout was stopped' : 'the sandbox is gone';
  return {
    messages: calls.map(
      (call, index) => messages.get(index) ?? cancelledMessage(call, reason, batch.maxResultChars),
    ),
    sandboxGone,
  };
}

async function answerCall(
  call: ToolCall,
  prepared: PreparedCall,
  batch: ToolBatch,
): Promise<{ readonly message: ToolMessage; readonly gone: string | null }> {
  const { clock, emit, turn } = batch;
  const about = { turn, call_id: call.id, name: call.name };
  emit({ type: 'tool-start', ...about, summary: summarizeCall(call) });
  const started = clock.monotonic();
  const result: ToolRunResult = prepared.ready
    ? await runTool({ ...batch, tool: prepared.tool, args: prepared.args })
    : {
        status: prepared.status,
        content: errorText(prepared.problem),
        originalChars: null,
        sandboxGone: null,
      };
  const seconds = prepared.ready ? (clock.monotonic() - started) / 1000 : 0;
  const message = toMessage(call, result, seconds, batch.maxResultChars);
  const { original_chars, tier } = message;
  emit({ type: 'tool-end', ...about, ok: message.status === 'ok', seconds, original_chars, tier });
  return { message, gone: result.sandboxGone };
}

function cancelledMessage(call: ToolCall, reason: string, maxChars: number): ToolMessage {
  const content = errorText(`Cancelled: ${reason} before this call ran.`);
  const result = { status: 'cancelled', content, originalChars: null, sandboxGone: null } as const;
  return toMessage(call, result, 0, maxChars);
}

function toMessage(
  call: ToolCall,
  { status, content, originalChars }: ToolRunResult,
  seconds: number,
  maxChars: number,
): ToolMessage {
  const full = content.toWellFormed();
  const capped = capOutput(full, maxChars);
  return {
    role: 'tool',
    tool_call_id: call.id,
    name: call.name,
    content: capped.text,
    status,
    original_chars: originalChars ?? capped.originalChars,
    tier: capped.cut || originalChars !== null ? 1 : null,
    sha256: sha256(full),
    seconds,
  };
}

/** Runs `action` on all items, started in order, at most `limit` at a time. */
async function forEachLimited<Item>(
  items: readonly Item[],
  limit: number,
  action: (item: Item) => Promise<void>,
): Promise<void> {
  const [first] = items;
  if (first !== undefined && items.length === 1) {
    await action(first);
    return;
  }
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) {
      await action(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
}

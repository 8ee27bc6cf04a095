import { messageOf, TalariaError } from '../errors.js';
import type { ToolCall, ToolMessage } from '../messages/message.js';
import { unrunResult } from '../messages/unrun-result.js';
import { counted } from '../text/counted.js';
import type { ToolBatch, ToolBatchResult } from '../tools/execute-tool-calls.js';
import type { ExecuteToolCalls } from './agent.js';
import { settleOrAbandon } from './settle-or-abandon.js';

/** The results of one assistant message's calls, and what broke while they ran. */
export interface AnsweredCalls {
  /** Exactly one for each call, in call order, well-formed Unicode. */
  readonly results: readonly ToolMessage[];
  /** Why the rollout cannot go on, or null. */
  readonly broken: BrokenTools | null;
}

export interface BrokenTools {
  readonly exitReason: 'sandbox_unavailable' | 'environment_error';
  readonly message: string;
}

/** Time after an abort in which tools may still hand over what they have. */
const graceMs = 5000;

const cancelledText = 'Cancelled: the rollout was interrupted before this call had ended.';

/**
 * Runs the calls whose arguments could be parsed and answers the others with an error that the model can act upon.
 * Whatever the executor does (throws, hangs after an abort, leaves results out), each call gets its one answer.
 */
export async function answerCalls(
  batch: ToolBatch,
  executeToolCalls: ExecuteToolCalls,
): Promise<AnsweredCalls> {
  const runnable = batch.calls.filter((call) => call.parse_error === undefined);
  const executed: ToolBatchResult | BrokenTools =
    runnable.length === 0
      ? { messages: [], sandboxGone: null }
      : await execute({ ...batch, calls: runnable }, executeToolCalls);
  const messages = 'messages' in executed ? executed.messages : [];
  let nextRun = 0;
  let missing = 0;
  const results = batch.calls.map((call) => {
    if (call.parse_error !== undefined) {
      return unparsedResult(call, call.parse_error);
    }
    const result = resultFor(call, messages, nextRun);
    nextRun += 1;
    if (result === null) {
      missing += 1;
      return unrunResult(call, 'cancelled', cancelledText);
    }
    return result.content.isWellFormed()
      ? result
      : { ...result, content: result.content.toWellFormed() };
  });
  return { results, broken: brokenBy(executed, missing, batch) };
}

/** Answers the calls of a reply that was cut off: none of them may run, since what is there may be a part only. */
export function refuseCalls(calls: readonly ToolCall[], reason: string): readonly ToolMessage[] {
  return calls.map((call) =>
    unrunResult(call, 'invalid', `Error: ${reason} The call was not run.`),
  );
}

function unparsedResult(call: ToolCall, error: string): ToolMessage {
  return unrunResult(
    call,
    'invalid',
    `Error: ${error} The tool was not run. Call it again with one JSON object as its arguments.`,
  );
}

async function execute(
  batch: ToolBatch,
  executeToolCalls: ExecuteToolCalls,
): Promise<ToolBatchResult | BrokenTools> {
  const { signal } = batch;
  if (signal.aborted) {
    return { messages: [], sandboxGone: null };
  }
  const settled = await settleOrAbandon(() => executeToolCalls(batch), {
    signal,
    graceMs,
    clock: batch.clock,
  });
  if (settled.state === 'abandoned') {
    return { messages: [], sandboxGone: null };
  }
  if (settled.state === 'done') {
    return Array.isArray(settled.value?.messages)
      ? settled.value
      : { exitReason: 'environment_error', message: 'The tool executor gave no results.' };
  }
  const { thrown } = settled;
  const sandboxGone = TalariaError.isInstance(thrown) && thrown.code === 'sandbox_unavailable';
  return sandboxGone
    ? { exitReason: 'sandbox_unavailable', message: messageOf(thrown) }
    : { exitReason: 'environment_error', message: `The tool executor threw: ${messageOf(thrown)}` };
}

/** The result in its place, as the contract wants it; or, where that is broken, by its id. */
function resultFor(
  call: ToolCall,
  messages: readonly ToolMessage[],
  index: number,
): ToolMessage | null {
  const answers = (message: ToolMessage | undefined) =>
    message?.role === 'tool' &&
    message.tool_call_id === call.id &&
    typeof message.content === 'string';
  const inPlace = messages[index];
  return (answers(inPlace) ? inPlace : messages.find(answers)) ?? null;
}

/** A missing result is a bug that must be seen, unless the agent was stopped: its caller looks at that first. */
function brokenBy(
  executed: ToolBatchResult | BrokenTools,
  missing: number,
  batch: ToolBatch,
): BrokenTools | null {
  if ('exitReason' in executed) {
    return executed;
  }
  if (executed.sandboxGone !== null) {
    return { exitReason: 'sandbox_unavailable', message: executed.sandboxGone };
  }
  if (missing > 0) {
    const message = `The tool executor left ${missing} of ${counted(batch.calls.length, 'call')} unanswered.`;
    return { exitReason: 'environment_error', message };
  }
  return null;
}

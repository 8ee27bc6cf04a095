import type { Clock } from '../clock.js';
import { messageOf } from '../errors.js';
import { type AbortLike, LazyAbort } from '../lazy-abort.js';
import type { ToolStatus } from '../messages/message.js';
import type { SandboxSession } from '../sandbox/sandbox.js';
import { isSandboxGone } from './sandbox-gone.js';
import { sanitizeError } from './sanitize-error.js';
import type { Tool, ToolContext } from './tool.js';

/** One checked call. */
export interface ToolRun {
  readonly tool: Tool;
  readonly args: unknown;
  readonly context: ToolContext;
  /** Aborts with the context's. */
  readonly signal: AbortLike;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface ToolRunResult {
  readonly status: ToolStatus;
  readonly content: string;
  /** What the tool said of its own cap. */
  readonly originalChars: number | null;
  /** Why the sandbox is gone, or null. */
  readonly sandboxGone: string | null;
}

/**
 * Runs one tool and settles within `timeoutMs`, whatever the tool does: an exception, nonsense for a result, or silence
 * are results too. When time is up or the rollout is cancelled the tool's signal aborts and the tool is left to itself;
 * nobody waits for it. Never rejects.
 */
export function runTool(run: ToolRun): Promise<ToolRunResult> {
  const { tool, signal, timeoutMs, clock } = run;
  return new Promise((resolve) => {
    const abort = new LazyAbort();
    const settle = (outcome: ToolRunResult) => {
      stopTimer();
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    const onAbort = () => {
      settle(
        result('cancelled', errorText('Cancelled: the rollout was stopped during this call.')),
      );
      abort.abort(signal.reason);
    };
    const stopTimer = clock.after(timeoutMs, () => {
      const text = `${tool.name} did not answer within ${timeoutMs / 1000} s and was given up.`;
      settle(result('error', errorText(text)));
      abort.abort(new DOMException(text, 'TimeoutError'));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    // Never rejects. What comes after the call was given up is dropped.
    attempt(run, abort).then(settle);
  });
}

/** The text of an answer that dispatch gives: JSON, so that no line of it can look like a turn of its own. */
export function errorText(message: string): string {
  return JSON.stringify({ error: message });
}

async function attempt({ tool, args, context }: ToolRun, abort: LazyAbort): Promise<ToolRunResult> {
  try {
    const returned: unknown = await tool.execute(args, new CallContext(context, abort));
    return fromReturned(tool.name, returned);
  } catch (thrown) {
    const message = describeThrown(thrown);
    return {
      ...result('error', errorText(sanitizeError(`Tool execution failed: ${message}`))),
      sandboxGone: isSandboxGone(thrown) ? message : null,
    };
  }
}

/** The context of the rollout with the signal of one call. */
class CallContext implements ToolContext {
  readonly #rollout: ToolContext;
  readonly #abort: LazyAbort;

  constructor(rollout: ToolContext, abort: LazyAbort) {
    this.#rollout = rollout;
    this.#abort = abort;
  }

  /** Throws in a rollout that has none. */
  get sandbox(): SandboxSession {
    return this.#rollout.sandbox;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get state(): Map<string, unknown> {
    return this.#rollout.state;
  }
}

/** The types promise a result; a tool written in JavaScript may return anything. */
function fromReturned(name: string, returned: unknown): ToolRunResult {
  const { content, ok, originalChars } = (returned ?? {}) as { readonly [key: string]: unknown };
  if (typeof content !== 'string') {
    const text = `Tool ${name} returned no result: expected { content, ok } with text as content.`;
    return result('error', errorText(text));
  }
  return {
    ...result(ok === true ? 'ok' : 'error', content),
    originalChars: Number.isSafeInteger(originalChars) ? Number(originalChars) : null,
  };
}

function result(status: ToolStatus, content: string): ToolRunResult {
  return { status, content, originalChars: null, sandboxGone: null };
}

/** Name and message. A thrown object can have getters that throw as well. */
function describeThrown(thrown: unknown): string {
  try {
    const name = thrown instanceof Error ? `${thrown.name}: ` : '';
    return `${name}${messageOf(thrown)}`;
  } catch {
    return 'an error that cannot be printed';
  }
}

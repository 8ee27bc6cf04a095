import type { Clock } from '../clock.js';
import { messageOf } from '../errors.js';
import { LazyAbort } from '../lazy-abort.js';
import type { Random } from '../random.js';
import type { LostTime } from './lost-time.js';
import type { ModelFailure } from './model.js';
import type { ModelRetry } from './model-provider.js';

/** One attempt at a call. It must end soon after it is aborted; what it says then does not count. */
export type Attempt<Value> = (abort: LazyAbort) => Promise<AttemptResult<Value>>;

export type AttemptResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Omit<ModelFailure, 'attempts'> };

export interface RetryOptions {
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Time for waits and further attempts, counted from the end of the first. */
  readonly retryBudgetMs: number;
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Gets the time of failed attempts and of waits. */
  readonly lostTime: LostTime;
  /** Called before each wait. */
  readonly onRetry?: (retry: ModelRetry) => void;
  /**
   * Aborted to give up the whole call: an attempt or a wait ends at once, with a failure of class `cancelled` that
   * tells the last failure before.
   */
  readonly signal: AbortSignal;
}

export type RetriedResult<Value> =
  | { readonly ok: true; readonly value: Value; readonly retries: number; readonly seconds: number }
  | { readonly ok: false; readonly failure: ModelFailure };

const firstWaitMs = 2_000;
const longestWaitMs = 60_000;

/**
 * The one retry layer around a model call. Waits grow as 2, 4, 8, ... 60 s and are drawn evenly from zero up to that
 * ("full jitter"), so that many rollouts do not come back together. A `Retry-After` is kept to, with a little jitter
 * on top; one that exceeds what is left of the budget ends the call, since coming earlier would only be refused again.
 */
export async function withRetry<Value>(
  attempt: Attempt<Value>,
  options: RetryOptions,
): Promise<RetriedResult<Value>> {
  const { clock, signal, maxRetries, lostTime } = options;
  const started = clock.monotonic();
  let budgetEnds = Number.POSITIVE_INFINITY;
  let last: ModelFailure | null = null;
  for (let attempts = 1; ; attempts++) {
    const endAttempt = lostTime.begin();
    const result = await limited(attempt, options);
    endAttempt(!result.ok);
    if (signal.aborted) {
      return { ok: false, failure: cancelled(attempts, last) };
    }
    if (result.ok) {
      const seconds = (clock.monotonic() - started) / 1000;
      return { ok: true, value: result.value, retries: attempts - 1, seconds };
    }
    const failure: ModelFailure = { ...result.failure, attempts };
    last = failure;
    if (attempts === 1) {
      budgetEnds = clock.monotonic() + options.retryBudgetMs;
    }
    const waitMs = waitBefore(attempts, failure, budgetEnds - clock.monotonic(), options.random);
    if (!failure.retryable || attempts > maxRetries || waitMs === null) {
      return { ok: false, failure };
    }
    options.onRetry?.({
      class: failure.class,
      attempt: attempts,
      waitMs,
      message: failure.message,
    });
    const endWait = lostTime.begin();
    await clock.sleep(waitMs, signal);
    endWait(true);
    if (signal.aborted) {
      return { ok: false, failure: cancelled(attempts, last) };
    }
  }
}

/** Runs one attempt under its time limit. Leaves no listener on the caller's signal, which lives much longer. */
async function limited<Value>(
  attempt: Attempt<Value>,
  { clock, signal, timeoutMs }: RetryOptions,
): Promise<AttemptResult<Value>> {
  if (signal.aborted) {
    return { ok: false, failure: cancelled(0, null) };
  }
  const abort = new LazyAbort();
  const onAbort = () => abort.abort(signal.reason);
  let timedOut = false;
  signal.addEventListener('abort', onAbort, { once: true });
  const stopTimer = clock.after(timeoutMs, () => {
    timedOut = true;
    abort.abort(new DOMException('The time limit is over.', 'TimeoutError'));
  });
  try {
    const result = await attempt(abort);
    // An answer that came in the very moment of the limit was paid for.
    return timedOut && !result.ok ? timeout(timeoutMs) : result;
  } catch (thrown) {
    return timedOut ? timeout(timeoutMs) : unexpected(thrown);
  } finally {
    stopTimer();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Null when the budget does not allow another attempt. */
function waitBefore(
  attempts: number,
  failure: ModelFailure,
  leftMs: number,
  random: Random,
): number | null {
  if (leftMs <= 0) {
    return null;
  }
  const asked = failure.retry_after_ms;
  if (asked !== undefined) {
    const jitterMs = random() * Math.min(1_000, asked / 4);
    return asked > leftMs ? null : Math.min(Math.ceil(asked + jitterMs), leftMs);
  }
  const ceilingMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempts - 1));
  return Math.min(Math.ceil(random() * ceilingMs), leftMs);
}

function cancelled(attempts: number, last: ModelFailure | null): ModelFailure {
  return {
    class: 'cancelled',
    retryable: false,
    message: 'the call was cancelled',
    attempts,
    ...(last === null ? {} : { last: { class: last.class, message: last.message } }),
  };
}

function timeout(timeoutMs: number): AttemptResult<never> {
  const message = `no complete answer within ${timeoutMs / 1000} s (timeout_s)`;
  return { ok: false, failure: { class: 'timeout', retryable: true, message } };
}

function unexpected(thrown: unknown): AttemptResult<never> {
  const message = `unexpected error in a model call: ${messageOf(thrown)}`;
  return { ok: false, failure: { class: 'unknown', retryable: false, message } };
}

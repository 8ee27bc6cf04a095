import { messageOf } from '../errors.js';
import type { ModelFailure, ModelFailureClass, ModelResult } from '../models/model.js';
import { type ReadReply, type ReplyPlace, readReply } from './read-reply.js';
import type { Settled } from './settle-or-abandon.js';

/** What came of a model call, once all that a model can do wrong is a failure too. */
export type ReadResult =
  | { readonly ok: true; readonly reply: ReadReply }
  | { readonly ok: false; readonly failure: ModelFailure };

/**
 * Reads how a model call ended. A model that breaks its contract (rejects, resolves to something else) becomes a
 * failure that a new attempt may get past; the turns before it are journaled, so such an attempt pays for little.
 */
export function readResult(settled: Settled<ModelResult>, place: ReplyPlace): ReadResult {
  if (settled.state === 'abandoned') {
    return failed('cancelled', 'The model call did not end after it was aborted.');
  }
  if (settled.state === 'failed') {
    return failed('unknown', `The model client threw: ${messageOf(settled.thrown)}`);
  }
  const result: Partial<Record<'ok' | 'reply' | 'failure', unknown>> | null | undefined =
    settled.value;
  if (result?.ok === true && isObject(result.reply)) {
    return { ok: true, reply: readReply(result.reply, place) };
  }
  if (isObject(result?.failure)) {
    return { ok: false, failure: readFailure(result.failure) };
  }
  return failed('malformed', 'The model client gave neither a reply nor a failure.');
}

function readFailure(failure: Partial<ModelFailure>): ModelFailure {
  return {
    ...failure,
    class: typeof failure.class === 'string' ? failure.class : 'unknown',
    retryable: failure.retryable === true,
    message: messageOf(failure.message ?? 'The model call failed.').toWellFormed(),
    attempts: Number.isInteger(failure.attempts) ? Math.max(1, failure.attempts ?? 1) : 1,
  };
}

function failed(failureClass: ModelFailureClass, message: string): ReadResult {
  const failure = { class: failureClass, retryable: true, message: message.toWellFormed() };
  return { ok: false, failure: { ...failure, attempts: 1 } };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

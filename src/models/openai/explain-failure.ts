import { APIConnectionError, APIError } from 'openai';
import { messageOf } from '../../errors.js';
import type { JsonObject } from '../../json.js';
import { AnswerTooLong } from '../answer-too-long.js';
import { classifyFailure } from '../classify-failure.js';
import type { ModelFailure } from '../model.js';
import { parseRetryAfter } from '../parse-retry-after.js';
import { type ErrorStatement, readErrorBody, readErrorValue } from '../read-error-body.js';
import { TransportError } from '../transport-error.js';
import { StatusError } from './status-error.js';

export type AttemptFailure = Omit<ModelFailure, 'attempts'>;

/** What messages about failures need to know of a connection. */
export interface FailureContext {
  /** The address, without user and password. */
  readonly url: string;
  /** Name of the environment variable that holds the key, for advice. */
  readonly apiKeyEnv: string | null;
  /** Texts that must not appear in a message. */
  readonly secrets: readonly string[];
  readonly now: number;
}

/** Turns what a request threw into a failure. An abort is none of its business: `withRetry` knows of it. */
export function explainFailure(thrown: unknown, context: FailureContext): AttemptFailure {
  if (thrown instanceof StatusError) {
    return statusFailure(thrown, context);
  }
  const transport = transportOf(thrown);
  if (transport?.origin instanceof AnswerTooLong) {
    return malformed(transport.origin.message, context);
  }
  if (transport !== null) {
    const verdict = classifyFailure({ ...nothing, transport: transport.code });
    return { ...verdict, message: clean(transportMessage(transport, context.url), context) };
  }
  if (thrown instanceof APIError) {
    // An error event in a stream.
    return statedFailure(null, readErrorValue(thrown.error ?? thrown.message), context);
  }
  if (thrown instanceof SyntaxError) {
    return malformed(`broken JSON in the stream (${messageOf(thrown)})`, context);
  }
  if (thrown instanceof RangeError) {
    // The stack is too small for what the answer nests.
    return malformed('it is nested too deeply', context);
  }
  return { class: 'unknown', retryable: false, message: clean(messageOf(thrown), context) };
}

/** An answer with status 200 that holds an error object in place of a completion. */
export function explainErrorBody(error: JsonObject, context: FailureContext): AttemptFailure {
  return statedFailure(200, readErrorValue(error), context);
}

/** An answer that is no completion. Another attempt may well be answered properly. */
export function malformed(problem: string, context: FailureContext): AttemptFailure {
  const message = clean(`unusable answer from ${context.url}: ${problem}`, context);
  return { class: 'malformed', retryable: true, message };
}

const nothing = { status: null, code: null, type: null, message: '' };

function statusFailure(error: StatusError, context: FailureContext): AttemptFailure {
  const statement =
    typeof error.body === 'string' ? readErrorBody(error.body) : readErrorValue(error.body);
  const verdict = classifyFailure({ ...statement, status: error.status, transport: null });
  const wait = parseRetryAfter(error.headers, context.now);
  const said = statement.message === '' ? '' : `: ${statement.message}`;
  const advice = adviceFor(error, verdict.class, context);
  return {
    ...verdict,
    message: clean(`${error.status} from ${context.url}${said}${advice}`, context),
    status: error.status,
    ...(wait === null ? {} : { retry_after_ms: wait }),
  };
}

function statedFailure(
  status: number | null,
  statement: ErrorStatement,
  context: FailureContext,
): AttemptFailure {
  const verdict = classifyFailure({
    ...statement,
    status: statement.status ?? status,
    transport: null,
  });
  const said = statement.message || statement.code || statement.type || 'no reason given';
  return {
    ...verdict,
    message: clean(`error from ${context.url}: ${said}`, context),
    ...(statement.status === null ? {} : { status: statement.status }),
  };
}

function adviceFor(
  error: StatusError,
  failure: ModelFailure['class'],
  { apiKeyEnv }: FailureContext,
): string {
  if (failure === 'auth') {
    return apiKeyEnv === null
      ? '. Set model.api_key_env to the variable that holds the key'
      : `. Check the key in ${apiKeyEnv}`;
  }
  if (error.status === 404 && failure === 'unknown') {
    return '. Check model.base_url; most servers want it to end in /v1';
  }
  const location = error.status >= 300 && error.status < 400 ? error.headers.get('location') : null;
  return location === null ? '' : `. It redirects to ${location}; set model.base_url to that`;
}

function transportOf(thrown: unknown): TransportError | null {
  if (thrown instanceof TransportError) {
    return thrown;
  }
  return thrown instanceof APIConnectionError && thrown.cause instanceof TransportError
    ? thrown.cause
    : null;
}

function transportMessage({ code, origin }: TransportError, url: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `connection refused: nothing listens at ${url}. Is the model server running?`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host of ${url} has no address (${code})`;
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return `the server at ${url} does not speak TLS: write http:// in model.base_url`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `no connection to ${url} within 10 s`;
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return `the server at ${url} closed the connection before its answer was complete (${code})`;
    default:
      return `the connection to ${url} failed: ${messageOf(origin)} (${code})`;
  }
}

/** One line, without keys. Servers like to quote the key that they refuse. */
function clean(message: string, { secrets }: FailureContext): string {
  let text = message.replace(/\s+/g, ' ').trim();
  for (const secret of secrets) {
    text = text.replaceAll(secret, '***');
  }
  return text.replace(/\b(sk-|Bearer )[A-Za-z0-9_*-]{6,}/g, '$1***');
}

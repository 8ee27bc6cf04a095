import type { ModelFailureClass } from './model.js';

/** What is known of a call that failed. */
export interface FailureEvidence {
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** `code` and `type` of the error object, where there are any. */
  readonly code: string | null;
  readonly type: string | null;
  /** What the server wrote; empty when it wrote nothing. */
  readonly message: string;
  /** Code of the system or of the HTTP client when no complete answer came, else null. */
  readonly transport: string | null;
}

/** Why a call failed, and whether the same call may succeed later. */
export interface FailureVerdict {
  readonly class: ModelFailureClass;
  readonly retryable: boolean;
}

/**
 * Sorts a failure by what can be done about it: first by transport, then by what the error object states, then by
 * status. Words of the message count only where servers have no code for it, and only phrases that say one thing.
 */
export function classifyFailure(evidence: FailureEvidence): FailureVerdict {
  if (evidence.transport !== null) {
    return byTransport(evidence.transport);
  }
  const stated = [evidence.code, evidence.type].map((word) => word?.toLowerCase() ?? '');
  return (
    byStatement(evidence, stated) ??
    byStatus(evidence, stated) ??
    byName(stated) ?? { class: 'unknown', retryable: evidence.status === null }
  );
}

const retry = (name: ModelFailureClass): FailureVerdict => ({ class: name, retryable: true });
const final = (name: ModelFailureClass): FailureVerdict => ({ class: name, retryable: false });

/** A TLS alert or a lost connection never means that the conversation was too long. */
function byTransport(code: string): FailureVerdict {
  if (/HEADERS_TIMEOUT|BODY_TIMEOUT|^ATTEMPT_TIMEOUT$/.test(code)) {
    return retry('timeout');
  }
  // Neither a certificate nor a server without TLS changes by trying again.
  if (
    /CERT|WRONG_VERSION_NUMBER|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_INVALID_URL|INVALID_ARG/.test(
      code,
    )
  ) {
    return final('connection');
  }
  return retry('connection');
}

/** Conditions that mean the same under any status. Null when there is none. */
function byStatement(evidence: FailureEvidence, stated: readonly string[]): FailureVerdict | null {
  const { status, message } = evidence;
  const has = (...words: readonly string[]) => words.some((word) => stated.includes(word));
  if (status === 402 && phrases.resets.test(message)) {
    return retry('rate_limit');
  }
  if (
    has(
      'insufficient_quota',
      'billing_hard_limit_reached',
      'billing_error',
      'billing_not_active',
    ) ||
    (status !== null && [400, 403, 429].includes(status) && phrases.billing.test(message))
  ) {
    return final('billing');
  }
  if (
    has('content_filter', 'content_policy_violation', 'responsibleaipolicyviolation') ||
    (status !== null && [400, 403, 422, 451].includes(status) && phrases.policy.test(message))
  ) {
    return final('content_policy');
  }
  if (has('model_not_found', 'deploymentnotfound') || isUnknownModel(evidence)) {
    return final('model_not_found');
  }
  if (has('invalid_api_key') || (status === 400 && phrases.badKey.test(message))) {
    return final('auth');
  }
  if (
    has('context_length_exceeded', 'exceed_context_size_error', 'string_above_max_length') ||
    (isAnswer(status) && phrases.overflow.test(message) && !phrases.unsupported.test(message))
  ) {
    return final('context_overflow');
  }
  return null;
}

function byStatus(
  { status, message }: FailureEvidence,
  stated: readonly string[],
): FailureVerdict | null {
  switch (status) {
    case null:
      return null;
    case 200:
      return byName(stated) ?? retry('unknown');
    case 401:
    case 403:
    case 407:
      return final('auth');
    case 402:
      return final('billing');
    case 404:
      // Not "no such model": most often it is a wrong address, which no waiting corrects.
      return final('unknown');
    case 408:
    case 504:
    case 524:
      return retry('timeout');
    case 409:
    case 425:
      return retry('unknown');
    case 413:
      return final('payload_too_large');
    case 429:
      return rateLimit(message, stated);
    case 501:
    case 505:
      return final('bad_request');
    case 503:
    case 529:
      return isInvalidRequest(message, stated) ? final('bad_request') : retry('overloaded');
    default:
      if (status >= 500) {
        return isInvalidRequest(message, stated) ? final('bad_request') : retry('server_error');
      }
      return final('bad_request');
  }
}

function rateLimit(message: string, stated: readonly string[]): FailureVerdict {
  if (/overloaded/i.test(message) || stated.some((word) => word.includes('overloaded'))) {
    return retry('overloaded');
  }
  // One request above the limit of a whole minute: it will never fit.
  return phrases.aboveMinute.test(message) ? final('rate_limit') : retry('rate_limit');
}

/** By the name of the error alone, for errors without a telling status. */
function byName(stated: readonly string[]): FailureVerdict | null {
  for (const word of stated) {
    const verdict = namedErrors[word];
    if (verdict !== undefined) {
      return verdict;
    }
  }
  return null;
}

const namedErrors: { readonly [name: string]: FailureVerdict } = {
  overloaded_error: retry('overloaded'),
  overloaded: retry('overloaded'),
  rate_limit_error: retry('rate_limit'),
  rate_limit_exceeded: retry('rate_limit'),
  server_error: retry('server_error'),
  internal_server_error: retry('server_error'),
  internalservererror: retry('server_error'),
  api_error: retry('server_error'),
  timeout_error: retry('timeout'),
  authentication_error: final('auth'),
  permission_error: final('auth'),
  not_found_error: final('unknown'),
  invalid_request_error: final('bad_request'),
  badrequesterror: final('bad_request'),
  request_too_large: final('payload_too_large'),
};

/** Some gateways wrap a refusal of the request into a 5xx; repeating it is useless. */
function isInvalidRequest(message: string, stated: readonly string[]): boolean {
  return (
    stated.some((word) =>
      /^(invalid_request_error|badrequesterror|validation_?error)$/.test(word),
    ) ||
    phrases.unsupported.test(message) ||
    phrases.invalid.test(message)
  );
}

function isUnknownModel({ status, message }: FailureEvidence): boolean {
  return (status === 404 || status === 400) && phrases.unknownModel.test(message);
}

function isAnswer(status: number | null): boolean {
  return status === null || status === 200 || status >= 400;
}

const phrases = {
  resets: /try again|resets? (in|at)|retry after/i,
  billing:
    /insufficient (credits?|quota|balance|funds)|credit balance is too low|exceeded your current quota|out of credits|payment required/i,
  policy:
    /content (management )?policy|content_filter|flagged (by|for|as)|(blocked|rejected) by (our |the )?(safety|moderation)|requires moderation/i,
  badKey: /api key not valid|invalid api key|incorrect api key/i,
  overflow:
    /context[ _]length[ _]exceeded|maximum context length|maximum model length|exceeds? (the )?(model'?s? )?(available |maximum )?context (size|window|length|limit)|prompt is too long|input is too long|too many (input )?tokens in|input length and `?max_tokens`? exceed|reduce the length of the (messages|prompt)/i,
  unsupported: /unsupported (parameter|value)|is not supported with this model/i,
  invalid: /validation errors? for|extra inputs are not permitted|extra fields not permitted/i,
  unknownModel:
    /\bmodel\b[^.]{0,200}?\b(does not exist|not found|is not available|is not a valid)|not a valid model|no such model|unknown model|invalid model (name|id)/i,
  aboveMinute: /request too large for/i,
} as const;

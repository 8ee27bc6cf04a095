import { describe, expect, test } from 'vitest';
import { classifyFailure, type FailureEvidence } from '../../../src/models/classify-failure.js';

const none: FailureEvidence = {
  status: null,
  code: null,
  type: null,
  message: '',
  transport: null,
};

type Row = [what: string, evidence: Partial<FailureEvidence>, name: string, retryable: boolean];

const rows: readonly Row[] = [
  ['a wrong key', { status: 401 }, 'auth', false],
  ['a key without the right', { status: 403, message: 'not allowed here' }, 'auth', false],
  [
    'a 403 about credit',
    { status: 403, message: 'Insufficient credits on this key' },
    'billing',
    false,
  ],
  [
    'a 403 from moderation',
    { status: 403, message: 'Input was flagged by moderation' },
    'content_policy',
    false,
  ],
  ['a 402', { status: 402, message: 'Payment required' }, 'billing', false],
  [
    'a 402 that resets',
    { status: 402, message: 'Usage limit, try again in 5 minutes' },
    'rate_limit',
    true,
  ],
  ['a 429', { status: 429, message: 'slow down' }, 'rate_limit', true],
  ['a 429 of an empty account', { status: 429, code: 'insufficient_quota' }, 'billing', false],
  [
    'a 429 that says overloaded',
    { status: 429, message: 'The model is overloaded' },
    'overloaded',
    true,
  ],
  [
    'one request above the limit of a minute',
    {
      status: 429,
      code: 'rate_limit_exceeded',
      message: 'Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000',
    },
    'rate_limit',
    false,
  ],
  ['a 503', { status: 503 }, 'overloaded', true],
  ['a 529', { status: 529, type: 'overloaded_error' }, 'overloaded', true],
  ['a 500', { status: 500, message: 'oops' }, 'server_error', true],
  ['a 502', { status: 502 }, 'server_error', true],
  [
    'a 500 that is a validation error',
    { status: 500, message: '1 validation error for ChatRequest' },
    'bad_request',
    false,
  ],
  [
    'a 502 with an invalid request inside',
    { status: 502, type: 'invalid_request_error', message: 'bad tool' },
    'bad_request',
    false,
  ],
  ['a gateway time-out', { status: 504 }, 'timeout', true],
  ['a 408', { status: 408 }, 'timeout', true],
  ['a 501', { status: 501 }, 'bad_request', false],
  ['a generic 404', { status: 404, message: 'Not Found' }, 'unknown', false],
  [
    'a 404 about the model',
    { status: 404, message: 'The model `x/y` does not exist.' },
    'model_not_found',
    false,
  ],
  ['a 404 with a code', { status: 404, code: 'model_not_found' }, 'model_not_found', false],
  [
    'a 400 about the model',
    { status: 400, message: 'foo/bar is not a valid model ID' },
    'model_not_found',
    false,
  ],
  [
    'a 400 about the context by code',
    { status: 400, code: 'context_length_exceeded' },
    'context_overflow',
    false,
  ],
  [
    'vLLM about the context',
    {
      status: 400,
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
    },
    'context_overflow',
    false,
  ],
  [
    'vLLM about the prompt',
    {
      status: 400,
      message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
    },
    'context_overflow',
    false,
  ],
  [
    'llama.cpp about the context',
    {
      status: 400,
      type: 'exceed_context_size_error',
      message: 'the request exceeds the available context size',
    },
    'context_overflow',
    false,
  ],
  [
    'Anthropic about the prompt',
    {
      status: 400,
      type: 'invalid_request_error',
      message: 'prompt is too long: 210000 tokens > 200000 maximum',
    },
    'context_overflow',
    false,
  ],
  [
    'an unsupported max_tokens',
    {
      status: 400,
      code: 'unsupported_parameter',
      message: "Unsupported parameter: 'max_tokens' is not supported with this model.",
    },
    'bad_request',
    false,
  ],
  [
    'an output limit that is too large',
    {
      status: 400,
      message:
        'max_tokens is too large: 50000. This model supports at most 16384 completion tokens.',
    },
    'bad_request',
    false,
  ],
  [
    'a local error with the word context',
    { status: 400, message: 'failed to create llama context' },
    'bad_request',
    false,
  ],
  ['a 413', { status: 413 }, 'payload_too_large', false],
  ['a filtered prompt', { status: 400, code: 'content_filter' }, 'content_policy', false],
  [
    'a filtered prompt in words',
    { status: 400, message: "triggering Azure OpenAI's content management policy" },
    'content_policy',
    false,
  ],
  [
    'credit in a 400',
    { status: 400, message: 'Your credit balance is too low to access the API' },
    'billing',
    false,
  ],
  [
    'a key in a 400',
    { status: 400, message: 'API key not valid. Please pass a valid API key.' },
    'auth',
    false,
  ],
  ['any other 400', { status: 400, message: 'Invalid value for tools' }, 'bad_request', false],
  ['a 422', { status: 422 }, 'bad_request', false],
  ['a redirect', { status: 308 }, 'bad_request', false],
  ['an overload inside a 200', { status: 200, type: 'overloaded_error' }, 'overloaded', true],
  ['a nameless error inside a 200', { status: 200, message: 'no idea' }, 'unknown', true],
  ['an error event in a stream', { type: 'server_error' }, 'server_error', true],
  ['a refused connection', { transport: 'ECONNREFUSED' }, 'connection', true],
  ['a reset connection', { transport: 'ECONNRESET' }, 'connection', true],
  ['a closed socket', { transport: 'UND_ERR_SOCKET' }, 'connection', true],
  ['a TLS alert', { transport: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' }, 'connection', true],
  ['a bad certificate', { transport: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'connection', false],
  [
    'a certificate for another host',
    { transport: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    'connection',
    false,
  ],
  ['https to a server of http', { transport: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'connection', false],
  ['a silent server', { transport: 'UND_ERR_HEADERS_TIMEOUT' }, 'timeout', true],
];

describe('a failure is sorted by what can be done about it', () => {
  test.each(rows)('%s', (_what, evidence, name, retryable) => {
    expect(classifyFailure({ ...none, ...evidence })).toEqual({ class: name, retryable });
  });
});

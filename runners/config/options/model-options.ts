import type { ModelConfig, ReasoningEffort } from '../../../src/models/model-provider.js';
import { computed, type OptionsOf, required } from '../option.js';
import {
  anyMapping,
  nullable,
  number,
  oneOf,
  path,
  seconds,
  text,
  textByName,
  texts,
  type ValueType,
  wholeNumber,
} from '../value-type.js';

/** Efforts in the order of strength. */
export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
  'ultra',
] as const satisfies readonly ReasoningEffort[];

const price: ValueType<ModelConfig['price']> = {
  expects:
    'a mapping with prompt, completion and, if it differs, cached: US dollars per million tokens',
  placeholder: '{prompt: X, completion: X}',
  schema: (z) =>
    z
      .strictObject({
        prompt: z.number().min(0),
        completion: z.number().min(0),
        cached: z.number().min(0).optional(),
      })
      .transform(({ prompt, completion, cached }) => ({
        prompt,
        completion,
        cached: cached ?? prompt,
      }))
      .nullable(),
};

/** `model:` and `reasoning:` of the configuration file; `models.<role>:` has the same keys. */
export const modelOptions = {
  use: {
    key: 'model.use',
    help: 'provider:model, for example openai:my-model; or oracle, replay, nop',
    type: text,
    fallback: required,
    identity: true,
    flag: 'model',
  },
  baseUrl: {
    key: 'model.base_url',
    help: "Address of an OpenAI-compatible server; the provider's own when absent",
    type: {
      expects: 'an http or https address',
      placeholder: 'URL',
      schema: (z) => z.url({ protocol: /^https?$/ }).nullable(),
    },
    fallback: null,
    identity: false,
    flag: 'base-url',
  },
  // Read by the resolver from the variable below; never an option.
  apiKey: null,
  apiKeyEnv: {
    key: 'model.api_key_env',
    help: 'Environment variable that holds the API key',
    type: {
      expects: 'the name of an environment variable (never the key itself), or null',
      placeholder: 'NAME',
      schema: (z) =>
        z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
          .nullable(),
    },
    fallback: computed,
    fallbackHelp: "OPENAI_API_KEY for OpenAI's own server",
    identity: false,
    flag: 'api-key-env',
    // Whoever gets it wrong wrote the key itself, and messages end up in logs.
    secret: true,
  },
  temperature: {
    key: 'model.temperature',
    help: 'Sampling temperature',
    type: nullable(number(0, 100)),
    fallback: null,
    fallbackHelp: "the server's",
    identity: true,
    flag: 'temperature',
  },
  topP: {
    key: 'model.top_p',
    help: 'Nucleus sampling',
    type: nullable(number(0, 1)),
    fallback: null,
    fallbackHelp: "the server's",
    identity: true,
    flag: 'top-p',
  },
  maxTokens: {
    key: 'model.max_tokens',
    help: 'Tokens of one reply at most',
    type: nullable(wholeNumber(1)),
    fallback: null,
    fallbackHelp: "the server's",
    identity: true,
    flag: 'max-tokens',
  },
  stop: {
    key: 'model.stop',
    help: 'Texts that end a reply',
    type: texts,
    fallback: [],
    identity: true,
    flag: 'stop',
  },
  extraBody: {
    key: 'model.extra_body',
    help: 'Further fields of the request, as the server documents them',
    type: anyMapping,
    fallback: {},
    identity: true,
    flag: null,
  },
  headers: {
    key: 'model.headers',
    help: 'Further HTTP headers',
    type: textByName,
    fallback: {},
    identity: false,
    flag: null,
    secret: true,
  },
  reasoningEffort: {
    key: 'reasoning.effort',
    help: 'How much the model should reason',
    type: nullable(oneOf(reasoningEfforts)),
    fallback: null,
    fallbackHelp: "the server's",
    identity: true,
    flag: 'reasoning-effort',
  },
  maxRetries: {
    key: 'model.max_retries',
    help: 'Repeats of one failed model call at most',
    type: wholeNumber(0),
    fallback: 10,
    identity: false,
    flag: 'max-retries',
  },
  retryBudgetMs: {
    key: 'model.retry_budget_s',
    help: 'Time that one model call may spend on repeats and waits',
    type: seconds,
    fallback: 600,
    identity: false,
    flag: 'retry-budget-s',
    seconds: true,
  },
  timeoutMs: {
    key: 'model.timeout_s',
    help: 'Limit of one attempt at a model call',
    type: seconds,
    fallback: 600,
    identity: false,
    flag: 'model-timeout-s',
    seconds: true,
  },
  // Follows from run.concurrency and run.threads.
  connections: null,
  replayPath: {
    key: 'model.replay_path',
    help: 'Recorded turns (JSONL) for the replay model',
    type: nullable(path),
    fallback: null,
    identity: true,
    flag: 'replay-path',
    path: true,
  },
  price: {
    key: 'model.price',
    help: 'US dollars per million tokens; without it costs are unknown',
    type: price,
    fallback: null,
    identity: false,
    flag: null,
  },
} satisfies OptionsOf<ModelConfig>;

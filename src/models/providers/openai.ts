import { usageError } from '../../errors.js';
import { checkListening } from '../check-listening.js';
import { createLeanFetch } from '../lean-fetch.js';
import type { ModelConfig, ModelProvider } from '../model-provider.js';
import { ChatClient } from '../openai/chat-client.js';
import { OpenaiModel, type OpenaiShared } from '../openai/openai-model.js';
import { requestTail } from '../openai/request-tail.js';
import { parseModelName } from '../parse-model-name.js';

const openaiUrl = 'https://api.openai.com/v1';

/** Fields that the project itself is answerable for: a record says what was asked, and one answer is read. */
const reserved = ['messages', 'model', 'tools', 'n'];

/** Any server that speaks OpenAI's chat completions: OpenAI, vLLM, SGLang, llama.cpp, gateways. */
export const openai: ModelProvider = {
  name: 'openai',
  description: 'OpenAI, and any server that speaks its chat completions (set base_url)',
  offline: false,
  async open(config, ports) {
    const url = chatUrl(config);
    const apiKey = keyOf(config);
    const { model } = parseModelName(config.use);
    for (const field of reserved) {
      if (config.extraBody[field] !== undefined) {
        throw usageError(`model.extra_body must not hold \`${field}\`: it is not a setting`);
      }
    }
    const lean = createLeanFetch({ connections: config.connections });
    const shared: OpenaiShared = {
      config,
      ports,
      model,
      client: clientFor(config, url, apiKey, lean),
      tail: requestTail(config, model),
      failures: {
        url: `${url.origin}${url.pathname}`.replace(/\/chat\/completions$/, ''),
        apiKeyEnv: config.apiKeyEnv,
        secrets: secretsOf(config, apiKey, url),
      },
    };
    return {
      forRollout: (rollout) => new OpenaiModel(shared, rollout),
      close: () => lean.close(),
    };
  },
  preflight: (config) => checkListening(chatUrl(config)),
};

/** `base_url` with or without the last part, with or without a query. */
function chatUrl({ baseUrl }: ModelConfig): URL {
  const text = baseUrl ?? openaiUrl;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw usageError(
      `Expected model.base_url to be an http or https address, got \`${text}\`. For example http://127.0.0.1:8000/v1`,
    );
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  return url;
}

function keyOf({ apiKey, apiKeyEnv, baseUrl, headers }: ModelConfig): string | null {
  // Keys that were read from a file often end in a line break, which no header may hold.
  const key = apiKey?.trim() ?? '';
  const sendsOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (key === '' && baseUrl === null && !sendsOwn) {
    throw usageError(
      apiKeyEnv === null
        ? 'No key for OpenAI: set model.api_key_env to the variable that holds it, or model.base_url to another server'
        : `No key for OpenAI: the variable ${apiKeyEnv} is empty or not set`,
    );
  }
  return key === '' ? null : key;
}

function clientFor(
  { headers, apiKeyEnv }: ModelConfig,
  url: URL,
  apiKey: string | null,
  lean: ReturnType<typeof createLeanFetch>,
): ChatClient {
  try {
    return new ChatClient({ url: url.href, apiKey, headers, lean });
  } catch (thrown) {
    // Without the reason: it would quote the value, which may be the key.
    const where = `model.headers or the key${apiKeyEnv === null ? '' : ` in ${apiKeyEnv}`}`;
    throw usageError(`${where} holds a character that an HTTP header cannot carry`, typeof thrown);
  }
}

function secretsOf({ headers }: ModelConfig, apiKey: string | null, url: URL): readonly string[] {
  const values = [apiKey ?? '', url.password, ...Object.values(headers)];
  return values.filter((value) => value.length >= 8);
}

import { TalariaError, usageError } from '../../src/errors.js';
import type { ModelConfig } from '../../src/models/model-provider.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import type { Option } from './option.js';
import type { OptionValues } from './option-values.js';
import { modelOptions } from './options/model-options.js';

/** Providers that answer from local data: no key, no reasoning to require. */
export const offlineProviders: readonly string[] = ['oracle', 'replay', 'nop'];

const keyVariables: readonly (readonly [host: string, variable: string])[] = [
  ['api.openai.com', 'OPENAI_API_KEY'],
  ['openrouter.ai', 'OPENROUTER_API_KEY'],
  ['api.anthropic.com', 'ANTHROPIC_API_KEY'],
];
const providerHosts: { readonly [provider: string]: string } = {
  openai: 'api.openai.com',
  'openai-responses': 'api.openai.com',
  anthropic: 'api.anthropic.com',
};

/** What {@link resolveModel} needs. */
export interface ModelInput {
  readonly values: OptionValues;
  /** Null for `model:`; the role for an entry of `models:`. */
  readonly role: string | null;
  readonly providers: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly connections: number;
  /** A key given on the command line, or null. */
  readonly apiKey: string | null;
}

/**
 * Fills in one model. Its key is read from the variable that the configuration names; a provider's usual variable is
 * read only for that provider's own server, so that a key is never sent to another.
 */
export function resolveModel(input: ModelInput): ModelConfig {
  const { values, role, env } = input;
  const keyOf = (option: Option) => roleKey(option.key, role);
  const use = resolveUse(input);
  const fields = values.section<ModelConfig>(modelOptions, keyOf);
  const baseUrl = fields.baseUrl ?? null;
  const provider = providerOf(use);
  const named = fields.apiKeyEnv ?? null;
  const usual = offlineProviders.includes(provider) ? null : usualVariable(provider, baseUrl);
  const apiKeyEnv = named ?? usual;
  values.put(keyOf(modelOptions.apiKeyEnv), apiKeyEnv);
  const apiKey = input.apiKey ?? ((apiKeyEnv === null ? null : env[apiKeyEnv]) || null);
  if (apiKey === null && apiKeyEnv !== null && !offlineProviders.includes(provider)) {
    const setting = values.setting(roleKey('model.api_key_env', role));
    throw usageError(
      `The environment variable ${apiKeyEnv}, which holds the API key for ${use}, is not set.` +
        (setting === null
          ? ` Set it, name another with ${roleKey('model.api_key_env', role)}, or give the address of your own server with ${roleKey('model.base_url', role)}.`
          : ` It is named in ${setting.origin.text}.`),
    );
  }
  return {
    ...(fields as ModelConfig),
    use,
    baseUrl,
    apiKey,
    apiKeyEnv,
    connections: input.connections,
  };
}

/** What stands before the colon of `provider:model`. */
export function providerOf(use: string): string {
  const colon = use.indexOf(':');
  return colon === -1 ? use : use.slice(0, colon);
}

/** The key of a model option in `model:` or in `models.<role>:`. */
export function roleKey(key: string, role: string | null): string {
  if (role === null) {
    return key;
  }
  const name = key === 'reasoning.effort' ? 'reasoning_effort' : key.replace(/^model\./, '');
  return `models.${role}.${name}`;
}

function resolveUse({ values, role, providers }: ModelInput): string {
  const option = modelOptions.use;
  const key = roleKey('model.use', role);
  const use = values.get(option, key);
  if (use === undefined) {
    throw usageError(
      `No model: set ${key}${role === null ? ', or give --model,' : ''} to provider:model, for example openai:my-model with ${roleKey('model.base_url', role)}, or to oracle or nop, which need no network.`,
    );
  }
  const provider = providerOf(use);
  const offline = offlineProviders.includes(provider);
  if (providers.includes(provider) && (offline || use.length > provider.length + 1)) {
    return use;
  }
  const setting = values.setting(key);
  // The original names a model without its provider: there is one server, and it speaks OpenAI's protocol.
  if (setting?.origin.text.startsWith('--') && providers.includes('openai') && use.includes('/')) {
    const full = `openai:${use}`;
    values.put(key, full);
    return full;
  }
  const nearest = nearestName(provider, providers);
  throw new TalariaError({
    code: 'config',
    message:
      `Expected \`${key}\` to be provider:model with a provider of ${providers.join(', ')}, got "${use}"` +
      (use.includes(':')
        ? didYouMean(
            nearest === null || nearest === provider ? null : nearest + use.slice(provider.length),
          )
        : nearest !== null && offlineProviders.includes(nearest)
          ? didYouMean(nearest)
          : didYouMean(`openai:${use}`)) +
      (setting === null ? '' : ` It stands in ${setting.origin.text}.`),
  });
}

function usualVariable(provider: string, baseUrl: string | null): string | null {
  const host = baseUrl === null ? providerHosts[provider] : new URL(baseUrl).hostname;
  return keyVariables.find(([known]) => host === known)?.[1] ?? null;
}

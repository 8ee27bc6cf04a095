import { usageError } from '../errors.js';
import { didYouMean, nearestName } from '../text/nearest-name.js';
import type { ModelConfig, ModelConnection, ModelPorts, ModelProvider } from './model-provider.js';
import { parseModelName } from './parse-model-name.js';
import { modelProviderLoaders } from './providers/index.generated.js';

/** Opens what the rollouts of one worker share. Throws a TalariaError (`usage`) on a bad configuration. */
export async function openModel(config: ModelConfig, ports: ModelPorts): Promise<ModelConnection> {
  return (await modelProviderOf(config.use)).open(config, ports);
}

/**
 * The provider that `provider:model` names. Throws a TalariaError (`usage`) that lists all when there is none of
 * this name, or when a provider that needs a model is given none.
 */
export async function modelProviderOf(use: string): Promise<ModelProvider> {
  const { provider: name, model } = parseModelName(use);
  const loaders: { readonly [name: string]: () => Promise<ModelProvider> } = modelProviderLoaders;
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (load === undefined) {
    throw unknownProvider(use, name, Object.keys(loaders));
  }
  const provider = await load();
  if (model === '' && !provider.offline) {
    throw usageError(`Expected model.use to be \`${name}:<model>\`, got \`${use}\``);
  }
  return provider;
}

function unknownProvider(use: string, name: string, names: readonly string[]): Error {
  const form = use.includes(':')
    ? ''
    : ' Write it as `provider:model`, for example `openai:my-model`.';
  return usageError(
    `Unknown model provider "${name}" in "${use}"${didYouMean(nearestName(name, names))}${form} There are ${names.join(', ')}.`,
  );
}

import { usageError } from '../src/errors.js';
import { didYouMean, nearestName } from '../src/text/nearest-name.js';
import type { Environment, EnvironmentConfig, EnvironmentKind } from './environment.js';
import { environmentKindLoaders } from './kinds/index.generated.js';
import { openModule } from './modules/module-environment.js';

/**
 * Opens the environment of a configuration: a built-in kind, or a user's module (`kind: module`). Throws a TalariaError
 * that says what to do.
 */
export async function openEnvironment(config: EnvironmentConfig): Promise<Environment> {
  if (config.kind === 'module') {
    if (config.path === null) {
      throw usageError('environment: `module` needs the path of a .js or .mjs file.');
    }
    if (!/\.[cm]?js$/.test(config.path)) {
      throw usageError(`The environment module ${config.path} must be a .js or .mjs file.`);
    }
    return await openModule(config.path, config);
  }
  return await (await loadKind(config.kind)).open(config);
}

async function loadKind(name: string): Promise<EnvironmentKind> {
  const loaders: { readonly [name: string]: () => Promise<EnvironmentKind> } =
    environmentKindLoaders;
  const load = loaders[name];
  if (load === undefined || !Object.hasOwn(loaders, name)) {
    const names = Object.keys(loaders);
    throw usageError(
      `There is no environment of kind ${JSON.stringify(name)}${didYouMean(nearestName(name, names))} ` +
        `The kinds are ${names.join(', ')}; a file of your own is \`module: ./my-environment.js\`.`,
    );
  }
  return await load();
}

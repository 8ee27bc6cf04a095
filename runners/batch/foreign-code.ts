import { pathToFileURL } from 'node:url';
import type { EnvironmentConfig } from '../../environments/environment.js';
import { isRewardModule } from '../../rewards/load-rewards.js';
import type { RewardConfig } from '../../rewards/reward-function.js';

/** The parts of a configuration that may name code of the user's. */
export interface ForeignConfig {
  readonly environment: EnvironmentConfig;
  readonly rewards: readonly RewardConfig[];
}

/** Paths of the user's modules, the environment's first. */
export function foreignModules({ environment, rewards }: ForeignConfig): readonly string[] {
  const own = environment.kind === 'module' && environment.path !== null ? [environment.path] : [];
  return [...own, ...rewards.map(({ use }) => use).filter(isRewardModule)];
}

/** The modules in a text for messages: the one that a stack names, or all of them. */
export function nameModules(modules: readonly string[], stack = ''): string {
  const one = modules.find((path) => stack.includes(path) || stack.includes(pathOf(path)));
  const named = one === undefined ? modules : [one];
  return `${named.length === 1 ? 'The module' : 'One of the modules'} ${named.join(', ')}`;
}

function pathOf(path: string): string {
  return pathToFileURL(path).href;
}

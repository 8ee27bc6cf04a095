export type {
  Environment,
  EnvironmentConfig,
  EnvironmentKind,
  SetupContext,
} from './environment.js';
export { openEnvironment } from './load-environment.js';
export { type RolloutInput, rollout } from './rollout.js';
export type { RecordsConfig, RolloutConfig, ToolsetConfig } from './rollout-config.js';
export { systemPrompt } from './system-prompt.js';

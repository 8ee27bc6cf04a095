import type { EnvironmentConfig } from '../../../environments/environment.js';
import { computed, type Option, type OptionsOf } from '../option.js';
import { nullable, oneOf, path, text } from '../value-type.js';

/** `environment:` of the configuration file. Whatever else it holds goes to the environment as its options. */
export const environmentOptions = {
  kind: {
    key: 'environment.kind',
    help: 'Kind of environment; see: talaria list environments',
    type: text,
    fallback: computed,
    fallbackHelp: 'prompts with --dataset',
    identity: false,
    flag: 'environment',
  },
  path: {
    key: 'environment.path',
    help: 'Data set or task folder',
    type: nullable(path),
    fallback: null,
    identity: false,
    flag: 'dataset',
    aliases: ['dataset-file'],
    path: true,
  },
  module: {
    key: 'environment.module',
    help: 'A JavaScript module that exports `environment`, in place of a kind',
    type: nullable(path),
    fallback: null,
    identity: false,
    flag: 'module',
    path: true,
  },
  onBadRow: {
    key: 'environment.on_bad_row',
    help: 'What a row that cannot be read does',
    type: oneOf(['error', 'skip']),
    fallback: 'error',
    identity: false,
    flag: 'on-bad-row',
  },
  // Every other key of the entry.
  options: null,
} satisfies OptionsOf<EnvironmentConfig> & {
  readonly module: Option<string | null>;
};

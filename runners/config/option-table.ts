import type { Option } from './option.js';
import { agentOptions } from './options/agent-options.js';
import { environmentOptions } from './options/environment-options.js';
import { modelOptions } from './options/model-options.js';
import { recordsOptions } from './options/records-options.js';
import { runOptions } from './options/run-options.js';
import { sandboxOptions } from './options/sandbox-options.js';
import { toolsetOptions } from './options/toolset-options.js';
import { topOptions } from './options/top-options.js';

/**
 * Every option there is, by the field of the resolved configuration that it fills. The configuration file, the
 * flags, the environment variables, `--help`, the JSON schema and the identity of a run are made from it alone.
 */
export const optionTable = {
  top: topOptions,
  environment: environmentOptions,
  model: modelOptions,
  agent: agentOptions,
  toolsets: toolsetOptions,
  sandbox: sandboxOptions,
  run: runOptions,
  records: recordsOptions,
} as const;

/** The rows of {@link optionTable}, in order. */
export const options: readonly Option[] = Object.values(optionTable).flatMap((section) =>
  (Object.values(section) as (Option | null)[]).filter((option) => option !== null),
);

/** The keys of one `models.<role>` entry: those of `model:`, and the effort, which has no section there. */
export const roleOptions: ReadonlyMap<string, Option> = new Map(
  (Object.values(modelOptions) as (Option | null)[])
    .filter((option) => option !== null)
    .map((option) => [
      option.key === 'reasoning.effort' ? 'reasoning_effort' : option.key.slice('model.'.length),
      option,
    ]),
);

/** Sections of the file, in the order in which the help shows them. */
export const sectionNames: readonly string[] = [
  ...new Set(
    options
      .map((option) => option.key.split('.'))
      .flatMap(([head, tail]) => (tail ? [head ?? ''] : [])),
  ),
  'models',
];

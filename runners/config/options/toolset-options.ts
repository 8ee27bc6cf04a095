import type { ToolsetConfig } from '../../../environments/rollout-config.js';
import type { Option } from '../option.js';
import { nullable, oneOf, text, texts } from '../value-type.js';

/** `toolsets:` of the configuration file. The distribution stands there by name or path, and is loaded later. */
export const toolsetOptions = {
  distribution: {
    key: 'toolsets.distribution',
    help: 'Table to draw toolsets from, by name or YAML file; see: talaria list distributions',
    type: nullable(text),
    fallback: null,
    identity: true,
    flag: 'distribution',
  },
  enabled: {
    key: 'toolsets.enabled',
    help: 'Exactly these toolsets, in place of a distribution',
    type: nullable(texts),
    fallback: null,
    fallbackHelp: 'terminal,file,todo without a distribution',
    identity: true,
    flag: 'toolsets',
  },
  samplePer: {
    key: 'toolsets.sample_per',
    help: 'One draw for each rollout, or one for all samples of a task',
    type: oneOf(['rollout', 'task']),
    fallback: 'rollout',
    identity: true,
    flag: 'sample-per',
  },
} satisfies {
  readonly [Field in keyof ToolsetConfig]-?: Option<
    Field extends 'distribution' ? string | null : ToolsetConfig[Field]
  >;
};

import type { RecordsConfig } from '../../../environments/rollout-config.js';
import { computed, type OptionsOf } from '../option.js';
import { oneOf, yesNo } from '../value-type.js';

/** `records:` of the configuration file. */
export const recordsOptions = {
  requireReasoning: {
    key: 'records.require_reasoning',
    help: 'What happens to a rollout without reasoning; off for oracle, replay and nop',
    type: oneOf(['discard', 'tag', 'off']),
    fallback: computed,
    fallbackHelp: 'tag; discard without a configuration file',
    identity: false,
    flag: 'require-reasoning',
  },
  recordTokens: {
    key: 'records.record_tokens',
    help: 'Keep token ids and log probabilities, where the server gives them',
    type: yesNo,
    fallback: false,
    identity: false,
    flag: 'record-tokens',
  },
} satisfies OptionsOf<RecordsConfig>;

import type { RewardConfig } from '../../../rewards/reward-function.js';
import type { JsonObject } from '../../../src/json.js';
import { isWeight } from '../../../src/rollout/reward.js';
import { computed, type OptionsOf } from '../option.js';
import type { ResolvedConfig } from '../resolved-config.js';
import { nullable, oneOf, path, seconds, texts, type ValueType } from '../value-type.js';

type Sections =
  | 'environment'
  | 'model'
  | 'models'
  | 'agent'
  | 'toolsets'
  | 'sandbox'
  | 'run'
  | 'records'
  | 'identity'
  | 'yaml';

const rewards: ValueType<readonly RewardConfig[]> = {
  expects:
    'a list of rewards, each a name or a mapping with use, weight (0, or from 1e-100 to 1e100) and options of its own, such as [{ use: tests, weight: 1 }]',
  placeholder: '[{use: NAME, weight: X}]',
  schema: (z) =>
    z.array(
      z
        .union([
          z.string().min(1),
          z.looseObject({ use: z.string().min(1), weight: z.number().refine(isWeight).optional() }),
        ])
        .transform((entry): RewardConfig => {
          if (typeof entry === 'string') {
            return { use: entry, weight: 1, options: {} };
          }
          const { use, weight, ...options } = entry;
          return { use, weight: weight ?? 1, options: options as JsonObject };
        }),
    ),
};

/** The keys of the configuration file that stand in no section. */
export const topOptions = {
  name: {
    key: 'name',
    help: 'Name of the run',
    type: {
      expects: 'letters, digits, ".", "_" and "-", and to begin with a letter or digit',
      placeholder: 'NAME',
      schema: (z) => z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/),
    },
    fallback: computed,
    fallbackHelp: "the configuration file's",
    identity: false,
    flag: 'name',
    aliases: ['run-name'],
  },
  out: {
    key: 'out',
    help: 'Run directory',
    type: { ...path, placeholder: 'DIR' },
    fallback: computed,
    fallbackHelp: 'runs/<name>',
    identity: false,
    flag: 'out',
    path: true,
  },
  rewards: {
    key: 'rewards',
    help: 'How rollouts are scored',
    type: rewards,
    fallback: [{ use: 'tests', weight: 1, options: {} }],
    fallbackHelp: 'tests',
    identity: false,
    flag: null,
  },
  verify: {
    key: 'verify',
    help: 'Sandbox that rewards look into; in same, processes that the agent left can tamper with the tests',
    type: nullable(oneOf(['fresh', 'snapshot', 'same'])),
    fallback: null,
    fallbackHelp: 'snapshot',
    identity: false,
    flag: 'verify',
  },
  rewardTimeoutMs: {
    key: 'reward_timeout_s',
    help: 'Limit of one reward',
    type: seconds,
    fallback: 600,
    identity: false,
    flag: 'reward-timeout-s',
    seconds: true,
  },
  export: {
    key: 'export',
    help: 'Formats written when the run ends; see: talaria list formats',
    type: texts,
    fallback: [],
    identity: false,
    flag: 'export',
  },
} satisfies OptionsOf<Omit<ResolvedConfig, Sections>>;

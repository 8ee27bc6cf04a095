import type { FlagSetting } from '../config/read-settings.js';

/** A flag of the original batch runner that is no plain other name of an option. */
export interface OriginalFlag {
  readonly name: string;
  readonly placeholder: string;
  readonly help: string;
  read(value: string): OriginalFlagMeaning;
}

/** What such a flag comes to. */
export interface OriginalFlagMeaning {
  readonly settings?: readonly Omit<FlagSetting, 'flag'>[];
  readonly note?: string;
  readonly error?: string;
  readonly apiKey?: string;
}

/**
 * The original's flags without a row in the option table. Its others are aliases there: `--dataset-file`,
 * `--run-name`, `--num-workers` (its workers ran one prompt each, so that is `run.concurrency`), `--max-samples`.
 */
export const originalFlags: readonly OriginalFlag[] = [
  ignored(
    'batch-size',
    'N',
    'rollouts are scheduled one by one, and each is a checkpoint of its own',
  ),
  ignored('log-prefix-chars', 'N', 'there are no previews of prompts in the log'),
  ignored('verbose', '', 'see talaria show for what a rollout did'),
  {
    name: 'reasoning-disabled',
    placeholder: '',
    help: 'The same as --reasoning-effort none, and wins over it',
    read: (value) =>
      isOn(value) ? { settings: [{ key: 'reasoning.effort', value: 'none' }] } : {},
  },
  {
    name: 'api-key',
    placeholder: 'KEY',
    help: 'API key; --api-key-env keeps it off the command line',
    read: (value) => ({
      apiKey: value,
      note: '--api-key: every user of this machine can read it in the list of processes; --api-key-env NAME is safer.',
    }),
  },
  provider('providers-allowed', 'only', 'Providers that OpenRouter may use'),
  provider('providers-ignored', 'ignore', 'Providers that OpenRouter must not use'),
  provider('providers-order', 'order', 'Order in which OpenRouter tries providers'),
  {
    name: 'provider-sort',
    placeholder: 'price|throughput|latency',
    help: 'How OpenRouter sorts providers',
    read: (value) =>
      ['price', 'throughput', 'latency'].includes(value)
        ? { settings: [{ key: 'model.extra_body.provider.sort', value }] }
        : {
            error: `Expected --provider-sort to be one of price, throughput, latency, got "${value}".`,
          },
  },
  {
    name: 'prefill-messages-file',
    placeholder: 'FILE',
    help: 'Not supported: put the text into agent.system_prompt',
    read: () => ({
      error:
        '--prefill-messages-file is not supported: current models refuse a prefilled answer. Put what it says into --system-prompt.',
    }),
  },
];

/** Whether a switch of the original, which takes `True` and `False`, is on. */
export function isOn(value: string): boolean {
  return !/^(false|0|no|off)$/i.test(value);
}

function ignored(name: string, placeholder: string, why: string): OriginalFlag {
  return {
    name,
    placeholder,
    help: `Accepted and ignored: ${why}`,
    read: () => ({ note: `--${name} is ignored: ${why}.` }),
  };
}

function provider(name: string, field: string, help: string): OriginalFlag {
  return {
    name,
    placeholder: 'A,B,...',
    help,
    read: (value) => ({
      settings: [
        {
          key: `model.extra_body.provider.${field}`,
          value: value
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== ''),
        },
      ],
    }),
  };
}

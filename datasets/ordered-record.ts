import type { Message } from '../src/messages/message.js';
import type { RolloutRecord } from '../src/rollout/record.js';

/**
 * The same record with the keys of its own structure in a fixed order, so that equal records are equal text. Free-form
 * parts (arguments, schemas of tools, metadata, annotations) keep the order in which they were offered
 * or written: a prompt that is rendered from them again must not change.
 */
export function orderedRecord(record: RolloutRecord): RolloutRecord {
  const tokens = record.tokens && ordered(record.tokens, tokensOrder);
  return {
    ...ordered(record, recordOrder),
    task: ordered(record.task, taskOrder),
    error: record.error && ordered(record.error, errorOrder),
    tools: record.tools.map((tool) => ordered(tool, toolOrder)),
    messages: record.messages.map(orderedMessage),
    rewards: record.rewards.map((reward) => ordered(reward, rewardOrder)),
    usage: ordered(record.usage, usageOrder),
    timings: ordered(record.timings, timingsOrder),
    tool_stats: byName(record.tool_stats, (stat) => ordered(stat, toolStatOrder)),
    tokens: tokens && {
      ...tokens,
      turns: tokens.turns.map((turn) => turn && ordered(turn, turnTokensOrder)),
    },
    sandbox: record.sandbox && ordered(record.sandbox, sandboxOrder),
    versions: byName(record.versions, (version) => version),
  };
}

function orderedMessage(message: Message): Message {
  switch (message.role) {
    case 'system':
      return ordered(message, systemOrder);
    case 'user':
      return ordered(message, userOrder);
    case 'tool':
      return ordered(message, toolMessageOrder);
    case 'assistant':
      return {
        ...ordered(message, assistantOrder),
        tool_calls: message.tool_calls.map((call) => ordered(call, callOrder)),
      };
  }
}

/** Keys in the order of the table; then those that this version does not know, by name, so that nothing is lost. */
function ordered<T extends object>(value: T, order: Order<T>): T {
  const given = value as { readonly [key: string]: unknown };
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(order)) {
    if (given[key] !== undefined) {
      result[key] = given[key];
    }
  }
  for (const key of Object.keys(given).sort()) {
    if (!Object.hasOwn(order, key)) {
      result[key] = given[key];
    }
  }
  return result as T;
}

function byName<T>(
  map: { readonly [name: string]: T },
  each: (value: T) => T,
): { readonly [name: string]: T } {
  const names = Object.keys(map).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = map[name];
      return value === undefined ? [] : [[name, each(value)]];
    }),
  );
}

/** Every key of a type, in order: one that is forgotten does not compile. */
type Order<T> = { readonly [key in keyof Required<T>]: 0 };

const recordOrder: Order<RolloutRecord> = {
  schema: 0,
  run: 0,
  environment: 0,
  task_key: 0,
  sample: 0,
  attempt: 0,
  seed: 0,
  task: 0,
  status: 0,
  exit_reason: 0,
  error: 0,
  discard_reason: 0,
  model: 0,
  toolsets: 0,
  toolsets_skipped: 0,
  tools: 0,
  system_prompt: 0,
  messages: 0,
  rewards: 0,
  reward: 0,
  verify: 0,
  annotations: 0,
  turns: 0,
  usage: 0,
  cost_usd: 0,
  timings: 0,
  tool_stats: 0,
  tokens: 0,
  sandbox: 0,
  versions: 0,
};
const taskOrder: Order<RolloutRecord['task']> = {
  id: 0,
  prompt: 0,
  image: 0,
  cwd: 0,
  tags: 0,
  answer: 0,
  metadata: 0,
};
const errorOrder: Order<NonNullable<RolloutRecord['error']>> = {
  class: 0,
  message: 0,
  retryable: 0,
};
const toolOrder: Order<RolloutRecord['tools'][number]> = { name: 0, description: 0, parameters: 0 };
const rewardOrder: Order<RolloutRecord['rewards'][number]> = {
  name: 0,
  weight: 0,
  state: 0,
  value: 0,
  metrics: 0,
  explanation: 0,
  error: 0,
  seconds: 0,
};
const usageOrder: Order<RolloutRecord['usage']> = {
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  model_calls: 0,
  replayed_calls: 0,
  wasted_calls: 0,
  retries: 0,
  source: 0,
};
const timingsOrder: Order<RolloutRecord['timings']> = {
  started_at: 0,
  ended_at: 0,
  total_s: 0,
  setup_s: 0,
  model_s: 0,
  tools_s: 0,
  rewards_s: 0,
};
const toolStatOrder: Order<RolloutRecord['tool_stats'][string]> = {
  count: 0,
  success: 0,
  failure: 0,
};
const tokensOrder: Order<NonNullable<RolloutRecord['tokens']>> = { source: 0, turns: 0 };
const turnTokensOrder: Order<NonNullable<NonNullable<RolloutRecord['tokens']>['turns'][number]>> = {
  prompt_ids: 0,
  completion_ids: 0,
  completion_logprobs: 0,
};
const sandboxOrder: Order<NonNullable<RolloutRecord['sandbox']>> = { kind: 0, image: 0 };
const systemOrder: Order<Extract<Message, { role: 'system' }>> = { role: 0, content: 0 };
const userOrder: Order<Extract<Message, { role: 'user' }>> = { role: 0, content: 0, synthetic: 0 };
const assistantOrder: Order<Extract<Message, { role: 'assistant' }>> = {
  role: 0,
  content: 0,
  reasoning: 0,
  tool_calls: 0,
  finish_reason: 0,
  model: 0,
  provider_state: 0,
  summary: 0,
};
const callOrder: Order<Extract<Message, { role: 'assistant' }>['tool_calls'][number]> = {
  id: 0,
  name: 0,
  arguments: 0,
  parse_error: 0,
};
const toolMessageOrder: Order<Extract<Message, { role: 'tool' }>> = {
  role: 0,
  tool_call_id: 0,
  name: 0,
  content: 0,
  status: 0,
  original_chars: 0,
  tier: 0,
  sha256: 0,
  seconds: 0,
};

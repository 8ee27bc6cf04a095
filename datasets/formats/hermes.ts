import type { RolloutRecord } from '../../src/rollout/record.js';
import type { Format, FormatOptions } from '../format.js';
import { type HermesFlag, hermesConversation } from '../hermes-conversation.js';
import { type HermesSystemTurn, hermesSystemTurn } from '../hermes-system-turn.js';
import { hermesToolColumns } from '../hermes-tool-columns.js';
import { jsonText } from '../json-text.js';

/**
 * The rows of the Hermes batch runner: its nine columns in its order, then ours. Every row has the same columns
 * of the same types, and whatever has free keys is JSON text, so that `load_dataset("json")` infers one schema.
 * Completed and truncated rollouts become rows; failed, cancelled and discarded ones do not.
 */
export const hermes: Format = {
  name: 'hermes',
  description:
    'ShareGPT rows of the Hermes batch runner (JSONL): reasoning, calls and results as tags in text',
  extension: 'jsonl',
  losses: [
    'tags written literally in content, reasoning, arguments or results (such rows are flagged)',
    'tool arguments that are not a JSON object, or one that readers choke on: nested more than 64 levels deep, or with a number of thousands of digits (written as {}, flagged), and white space between their tokens',
    'white space at the end of answers, blank reasoning, and text of white space alone',
    'which user turns the loop wrote, finish reasons, provider state, the model of each turn',
    'budget tiers, hashes, status and times of tool results',
    'token ids and log probabilities, usage, cost, timings, annotations, versions',
    'a `reward` column that is null for the first 10 MB of a file and a number later needs `features=` to load',
  ],
  async *encode(records, options) {
    const systemTurn = cachedSystemTurn(options);
    let promptIndex = -1;
    let lastTask: string | null = null;
    for await (const record of records) {
      // Counted over every record, so that an index does not depend on which rollouts of the run succeeded.
      if (record.task_key !== lastTask) {
        lastTask = record.task_key;
        promptIndex += 1;
      }
      if (record.status === 'completed' || record.status === 'truncated') {
        yield rowText(record, promptIndex, systemTurn(record), options);
      }
    }
  },
};

function rowText(
  record: RolloutRecord,
  promptIndex: number,
  systemTurn: HermesSystemTurn,
  options: FormatOptions,
): string {
  const flags = new Set<HermesFlag>();
  if (systemTurn.flagged) {
    flags.add('tag_in_tools');
  }
  const turns = hermesConversation(record.messages, (flag) => flags.add(flag));
  const conversations = [{ from: 'system', value: systemTurn.value }, ...turns];
  const write = () => jsonText(row(record, promptIndex, conversations, [...flags].sort()));
  let written = write();
  if (written.repaired) {
    flags.add('repaired_unicode');
    written = write();
  }
  for (const flag of [...flags].sort()) {
    options.onFlag(record.task_key, record.sample, flag);
  }
  return `${written.text.slice(0, -1)},"reward":${decimal(record.reward)}}\n`;
}

function row(
  record: RolloutRecord,
  promptIndex: number,
  conversations: readonly object[],
  flags: readonly HermesFlag[],
): object {
  const { tool_stats, tool_error_counts, other_tool_stats } = hermesToolColumns(record.tool_stats);
  const { task } = record;
  return {
    prompt_index: promptIndex,
    conversations,
    metadata: { batch_num: 0, timestamp: timestamp(record.timings.ended_at), model: record.model },
    completed: record.status === 'completed',
    partial: isPartial(record),
    api_calls: record.usage.model_calls,
    toolsets_used: record.toolsets,
    tool_stats,
    tool_error_counts,
    other_tool_stats,
    run: record.run,
    id: task.id ?? '',
    task_key: record.task_key,
    sample: record.sample,
    seed: record.seed,
    status: record.status,
    exit_reason: record.exit_reason,
    system_prompt: record.system_prompt,
    tags: JSON.stringify(task.tags),
    answer: JSON.stringify(task.answer),
    task_metadata: JSON.stringify(task.metadata),
    rewards: JSON.stringify(
      record.rewards.map(({ name, weight, state, value }) => ({ name, weight, state, value })),
    ),
    flags: flags.join(','),
  };
}

/** As in the original: the model itself broke off, by calls that were not valid or by running out of tokens in a reply. */
function isPartial(record: RolloutRecord): boolean {
  if (record.status === 'completed') {
    return false;
  }
  const last = record.messages.findLast((message) => message.role === 'assistant');
  return record.exit_reason === 'invalid_tool_calls' || last?.finish_reason === 'length';
}

/** ISO 8601 in UTC, always with milliseconds: Arrow turns a time without them into another type. */
function timestamp(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** A number that Arrow reads as a float in every row, or null. `JSON.stringify` writes 1.0 as `1`, an integer. */
function decimal(value: number | null): string {
  const text = JSON.stringify(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

/** Most records of a run were offered the same tools, and the turn is long: it is made once for them. */
function cachedSystemTurn(options: FormatOptions): (record: RolloutRecord) => HermesSystemTurn {
  let key: string | null = null;
  let turn = hermesSystemTurn([], options.systemPreamble);
  return ({ tools }) => {
    const wanted = JSON.stringify(tools);
    if (wanted !== key) {
      key = wanted;
      turn = hermesSystemTurn(tools, options.systemPreamble);
    }
    return turn;
  };
}

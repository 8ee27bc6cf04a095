import type {
  AssistantMessage,
  Message,
  ToolCall,
  ToolMessage,
} from '../../src/messages/message.js';
import type { RolloutRecord } from '../../src/rollout/record.js';

/** A completed record of one short conversation; fields of `changes` replace its own. */
export function sampleRecord(changes: Partial<RolloutRecord> = {}): RolloutRecord {
  return {
    schema: 'talaria/record/1',
    run: 'demo',
    environment: 'prompts',
    task_key: 'a'.repeat(64),
    sample: 0,
    attempt: 1,
    seed: 7,
    task: {
      id: 'task-1',
      prompt: 'How many files?',
      image: null,
      cwd: null,
      tags: ['shell'],
      answer: 2,
      metadata: { difficulty: 'easy' },
    },
    status: 'completed',
    exit_reason: 'finished',
    error: null,
    discard_reason: null,
    model: 'openai:demo',
    toolsets: ['terminal'],
    toolsets_skipped: [],
    tools: [
      {
        name: 'terminal',
        description: 'Runs a command.',
        parameters: { type: 'object', properties: { command: { type: 'string' } } },
      },
    ],
    system_prompt: 'Be brief.',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How many files?' },
      assistant({
        reasoning: 'Count them.',
        tool_calls: [call('c1', 'terminal', '{"command":"ls | wc -l"}')],
      }),
      result('c1', 'terminal', '{"output": "2", "exit_code": 0}'),
      assistant({ content: 'Two.' }),
    ],
    rewards: [],
    reward: null,
    verify: null,
    annotations: {},
    turns: 2,
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      cached_tokens: 0,
      reasoning_tokens: 0,
      model_calls: 2,
      replayed_calls: 0,
      wasted_calls: 0,
      retries: 0,
      source: 'server',
    },
    cost_usd: null,
    timings: {
      started_at: '2026-01-15T10:29:58Z',
      ended_at: '2026-01-15T10:30:00Z',
      total_s: 2,
      setup_s: 0,
      model_s: 1.5,
      tools_s: 0.1,
      rewards_s: 0,
    },
    tool_stats: { terminal: { count: 1, success: 1, failure: 0 } },
    tokens: null,
    sandbox: null,
    versions: { talaria: '0.1.0' },
    ...changes,
  };
}

/** The same with other messages after the user's. */
export function recordWith(...messages: readonly Message[]): RolloutRecord {
  return sampleRecord({ messages: [{ role: 'user', content: 'Go.' }, ...messages] });
}

export function assistant(changes: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: 'assistant',
    content: '',
    reasoning: null,
    tool_calls: [],
    finish_reason: 'stop',
    model: 'demo',
    ...changes,
  };
}

export function call(id: string, name: string, args: string): ToolCall {
  return { id, name, arguments: args };
}

export function result(id: string, name: string, content: string): ToolMessage {
  return {
    role: 'tool',
    tool_call_id: id,
    name,
    content,
    status: 'ok',
    original_chars: [...content].length,
    tier: null,
    sha256: '0'.repeat(64),
    seconds: 0.1,
  };
}

/** Everything that a format writes for some records, and the flags that it raised. */
export async function encodeAll(
  format: import('../../datasets/format.js').Format,
  records: readonly RolloutRecord[],
  systemPreamble: string | null = null,
): Promise<{ readonly lines: string[]; readonly flags: string[] }> {
  const flags: string[] = [];
  const lines: string[] = [];
  const options = {
    systemPreamble,
    onFlag: (_taskKey: string, sample: number, flag: string) => flags.push(`${sample}:${flag}`),
  };
  for await (const line of format.encode(stream(records), options)) {
    lines.push(line);
  }
  return { lines, flags };
}

export async function* stream<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

import type { Clock } from '../../../src/clock.js';
import { systemClock } from '../../../src/clock.js';
import type { AssistantMessage, Message } from '../../../src/messages/message.js';
import type { Model, ModelReply, ModelRequest, ModelResult } from '../../../src/models/model.js';
import type { ModelConfig, ModelRollout } from '../../../src/models/model-provider.js';
import { openModel } from '../../../src/models/open-model.js';
import type { Task } from '../../../src/rollout/task.js';

export function modelConfig(overrides: Partial<ModelConfig> = {}): ModelConfig {
  return {
    use: 'openai:test-model',
    baseUrl: null,
    apiKey: null,
    apiKeyEnv: null,
    temperature: null,
    topP: null,
    maxTokens: null,
    stop: [],
    extraBody: {},
    headers: {},
    reasoningEffort: null,
    maxRetries: 3,
    retryBudgetMs: 60_000,
    timeoutMs: 20_000,
    connections: 8,
    replayPath: null,
    price: null,
    ...overrides,
  };
}

export function task(overrides: Partial<Task> = {}): Task {
  return {
    id: 'task-1',
    prompt: 'Do it.',
    image: null,
    cwd: null,
    files: [],
    setup: null,
    requires: [],
    folder: null,
    digest: null,
    agent_timeout_s: null,
    tests_timeout_s: null,
    tags: [],
    answer: null,
    metadata: {},
    ...overrides,
  };
}

export function modelRollout(overrides: Partial<ModelRollout> = {}): ModelRollout {
  return { task: task(), taskKey: 'k'.repeat(64), sample: 0, seed: 1, ...overrides };
}

export function user(content: string): Message {
  return { role: 'user', content };
}

export function assistant(overrides: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: 'assistant',
    content: '',
    reasoning: null,
    tool_calls: [],
    finish_reason: 'stop',
    model: 'test-model',
    ...overrides,
  };
}

export function toolMessage(tool_call_id: string, content: string): Message {
  return {
    role: 'tool',
    tool_call_id,
    name: 'terminal',
    content,
    status: 'ok',
    original_chars: content.length,
    tier: null,
    sha256: '0'.repeat(64),
    seconds: 0,
  };
}

export function request(...messages: readonly Message[]): ModelRequest {
  return { messages, tools: [] };
}

export function replyOf(result: ModelResult): ModelReply {
  if (!result.ok) {
    throw new Error(`expected a reply, got ${JSON.stringify(result.failure)}`);
  }
  return result.reply;
}

export function failureOf(result: ModelResult) {
  if (result.ok) {
    throw new Error(`expected a failure, got ${JSON.stringify(result.reply)}`);
  }
  return result.failure;
}

/** A clock whose waits end at once and are written down; time limits never run out. */
export class InstantClock implements Clock {
  readonly waits: number[] = [];
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    this.#now += ms;
  }

  after(): () => void {
    return () => {};
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** A model against a server, and a way to close what it opened. */
export async function openTestModel(
  config: Partial<ModelConfig>,
  options: { readonly clock?: Clock; readonly rollout?: Partial<ModelRollout> } = {},
): Promise<{ model: Model; close: () => Promise<void> }> {
  const connection = await openModel(modelConfig(config), {
    clock: options.clock ?? systemClock,
    random: () => 0.5,
  });
  return {
    model: connection.forRollout(modelRollout(options.rollout)),
    close: () => connection.close(),
  };
}

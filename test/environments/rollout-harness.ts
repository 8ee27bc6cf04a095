import { z } from 'zod';
import type { Environment } from '../../environments/environment.js';
import type { RolloutInput } from '../../environments/rollout.js';
import type { RolloutConfig } from '../../environments/rollout-config.js';
import { systemClock } from '../../src/clock.js';
import type { Model, ModelFailure, ModelReply, ModelResult } from '../../src/models/model.js';
import type { RolloutEventBody } from '../../src/rollout/event.js';
import type { Task } from '../../src/rollout/task.js';
import { taskKey } from '../../src/rollout/task-key.js';
import type { ToolCatalog } from '../../src/tools/catalog.js';
import type { Tool } from '../../src/tools/tool.js';
import { HostSandboxProvider } from '../helpers/host-sandbox.js';

/** A task with nothing but a prompt, changed as the test needs it. */
export function aTask(changes: Partial<Task> = {}): Task {
  return {
    id: null,
    prompt: 'Say hello.',
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
    ...changes,
  };
}

export function anEnvironment(changes: Partial<Environment> = {}): Environment {
  return { name: 'plain', async *tasks() {}, ...changes };
}

const defaultConfig: RolloutConfig = {
  run: 'run',
  runSeed: 7,
  agent: {
    maxTurns: 5,
    systemPrompt: null,
    deadlineMs: 60_000,
    maxWallMs: 120_000,
    maxTotalTokens: null,
    onBudget: 'stop',
    maxRepeatedCalls: 5,
    maxInvalidTurns: 3,
    toolTimeoutMs: 10_000,
    maxResultChars: 10_000,
  },
  toolsets: { distribution: null, enabled: [], samplePer: 'rollout' },
  sandbox: {
    kind: 'auto',
    image: null,
    network: 'none',
    memoryMb: null,
    cpus: null,
    diskMb: 10_240,
    maxParallelExec: 1_000,
    profile: 'root',
    runtime: null,
    env: {},
    trust: false,
    commandTimeoutMs: 10_000,
  },
  owner: { runId: 'run-id', pid: 1, startedAt: '2026-01-01T00:00:00Z' },
  rewards: [],
  verify: null,
  rewardTimeoutMs: 10_000,
  records: { requireReasoning: 'tag', recordTokens: false },
  model: 'fake:model',
  price: null,
};

export interface HarnessChanges extends Partial<Omit<RolloutInput, 'config' | 'task'>> {
  readonly task?: Partial<Task>;
  readonly config?: Partial<RolloutConfig>;
  readonly replies?: readonly (Partial<ModelReply> | ModelFailure)[];
}

/** The input of one rollout with fakes, and what the fakes saw. */
export function aRollout({ task, config, replies, ...changes }: HarnessChanges = {}) {
  const events: RolloutEventBody[] = [];
  const provider = new HostSandboxProvider();
  const model = scriptedModel(replies ?? [{ content: 'Hello.', reasoning: 'I greet.' }]);
  const wholeTask = aTask(task);
  const input: RolloutInput = {
    task: wholeTask,
    taskKey: taskKey(wholeTask),
    sample: 0,
    attempt: 1,
    environment: anEnvironment(),
    config: { ...defaultConfig, ...config },
    model,
    sandboxFor: async () => provider,
    tools: testCatalog,
    rewards: [],
    wastedCalls: 0,
    versions: { talaria: '0' },
    signal: new AbortController().signal,
    clock: systemClock,
    emit: (event) => events.push(event),
    ...changes,
  };
  return { input, events, provider, model };
}

export interface ScriptedModel extends Model {
  readonly calls: number;
}

/** Answers with one reply after the other. Each test's rollout has its own. */
export function scriptedModel(
  replies: readonly (Partial<ModelReply> | ModelFailure)[],
  requiredTools: readonly string[] = [],
): ScriptedModel {
  let calls = 0;
  return {
    name: 'fake:model',
    requiredTools,
    get calls() {
      return calls;
    },
    async generate(_request, signal): Promise<ModelResult> {
      const reply = replies[calls++];
      if (signal.aborted || reply === undefined) {
        return { ok: false, failure: aFailure(signal.aborted ? 'cancelled' : 'unknown') };
      }
      if ('class' in reply) {
        return { ok: false, failure: reply };
      }
      return { ok: true, reply: aReply(reply) };
    },
  };
}

export function aFailure(
  failureClass: ModelFailure['class'],
  changes: Partial<ModelFailure> = {},
): ModelFailure {
  return {
    class: failureClass,
    retryable: false,
    message: `failed: ${failureClass}`,
    attempts: 1,
    ...changes,
  };
}

export function aReply(changes: Partial<ModelReply> = {}): ModelReply {
  const calls = changes.tool_calls ?? [];
  return {
    content: '',
    reasoning: null,
    tool_calls: calls,
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
    usage: {
      prompt_tokens: 100,
      completion_tokens: 10,
      cached_tokens: 20,
      reasoning_tokens: 0,
      source: 'server',
    },
    model: 'fake-model',
    seconds: 0.1,
    retries: 0,
    ...changes,
  };
}

/** A reply that runs one shell command. */
export function aCommand(command: string, id = 'call_1'): Partial<ModelReply> {
  return {
    reasoning: 'I look.',
    tool_calls: [{ id, name: 'terminal', arguments: JSON.stringify({ command }) }],
  };
}

const terminal: Tool = {
  name: 'terminal',
  toolset: 'terminal',
  description: 'Runs a command.',
  parameters: z.object({ command: z.string() }),
  effect: 'command',
  needsSandbox: true,
  async execute(args, { sandbox, signal }) {
    const { command } = args as { readonly command: string };
    const result = await sandbox.exec(command, { signal, mergeStderr: true });
    return { content: result.stdout.toString('utf8'), ok: result.exitCode === 0 };
  },
};

const clock: Tool = {
  name: 'clock',
  toolset: 'clock',
  description: 'Tells the time.',
  parameters: z.object({}),
  effect: 'read',
  needsSandbox: false,
  execute: async () => ({ content: 'noon', ok: true }),
};

const tools = [terminal, clock];

export const testCatalog: ToolCatalog = {
  tools: new Map(tools.map((tool) => [tool.name, tool])),
  toolsets: new Map(tools.map((tool) => [tool.toolset, [tool]])),
  schemas: new Map(
    tools.map(({ name, description }) => [
      name,
      { name, description, parameters: { type: 'object' } },
    ]),
  ),
};

import { z } from 'zod';
import type {
  AgentConfig,
  AgentInput,
  AgentOutcome,
  ExecuteToolCalls,
} from '../../../src/agent/agent.js';
import { runAgent } from '../../../src/agent/run-agent.js';
import { sha256 } from '../../../src/hash.js';
import { checkConversation } from '../../../src/messages/check-conversation.js';
import type { ToolCall, ToolMessage, ToolStatus } from '../../../src/messages/message.js';
import type { RolloutEventBody } from '../../../src/rollout/event.js';
import type { ToolBatch } from '../../../src/tools/execute-tool-calls.js';
import { type FakeClock, fakeClock } from '../../../testing/fake-clock.js';
import { type Script, type ScriptedModel, scriptedModel } from '../../../testing/scripted-model.js';

/** The limits of a short rollout. */
export const shortRun: AgentConfig = {
  maxTurns: 10,
  systemPrompt: null,
  deadlineMs: 60_000,
  maxWallMs: 120_000,
  maxTotalTokens: null,
  onBudget: 'stop',
  maxRepeatedCalls: 5,
  maxInvalidTurns: 3,
  toolTimeoutMs: 10_000,
  maxResultChars: 10_000,
};

/** What a test looks at after a run. */
export interface Ran {
  readonly outcome: AgentOutcome;
  readonly model: ScriptedModel;
  readonly executed: readonly ToolCall[];
  readonly events: readonly RolloutEventBody[];
}

export interface RunSetup {
  readonly config?: Partial<AgentConfig>;
  readonly clock?: FakeClock;
  readonly signal?: AbortSignal;
  readonly input?: Partial<AgentInput>;
  readonly execute?: ExecuteToolCalls;
}

/** Begins a run of the loop on a script; every conversation that it leaves must be well formed. */
export function beginAgent(script: Script, setup: RunSetup = {}) {
  const model = scriptedModel(script);
  const events: RolloutEventBody[] = [];
  const executed: ToolCall[] = [];
  const clock = setup.clock ?? fakeClock();
  const execute = setup.execute ?? answerAll();
  const input: AgentInput = {
    config: { ...shortRun, ...setup.config },
    model,
    systemPrompt: 'You help.',
    prompt: 'Do it.',
    tools: [echo],
    toolSchemas: [{ name: 'echo', description: 'Echoes.', parameters: { type: 'object' } }],
    sandbox: null,
    seed: 7,
    signal: setup.signal ?? new AbortController().signal,
    clock,
    emit: (event) => {
      events.push(event);
    },
    ...setup.input,
  };
  const running = runAgent(input, (batch) => {
    executed.push(...batch.calls);
    return execute(batch);
  });
  const done = running.then((outcome): Ran => {
    const broken = checkConversation(outcome.messages);
    if (broken.length > 0) {
      throw new Error(`The conversation is broken: ${JSON.stringify(broken)}`);
    }
    if (clock.waiting > 0) {
      throw new Error(`${clock.waiting} timers were left behind.`);
    }
    return { outcome, model, executed, events };
  });
  return { clock, model, events, executed, done };
}

export function run(script: Script, setup?: RunSetup): Promise<Ran> {
  return beginAgent(script, setup).done;
}

/** A tool executor that answers each call; by default with its own arguments. */
export function answerAll(
  answer: (call: ToolCall, batch: ToolBatch) => string | Partial<ToolMessage> = (call) =>
    call.arguments,
): ExecuteToolCalls {
  return async (batch) => ({
    messages: batch.calls.map((call) => {
      const given = answer(call, batch);
      return toolResult(call, typeof given === 'string' ? { content: given } : given);
    }),
    sandboxGone: null,
  });
}

export function toolResult(
  call: ToolCall,
  given: Partial<ToolMessage> & { readonly status?: ToolStatus } = {},
): ToolMessage {
  const content = given.content ?? 'done';
  return {
    role: 'tool',
    tool_call_id: call.id,
    name: call.name,
    content,
    status: 'ok',
    original_chars: content.length,
    tier: null,
    sha256: sha256(content),
    seconds: 0,
    ...given,
  };
}

/** A reply that calls `echo` with `value`. */
export function callEcho(value: unknown, id?: string) {
  return {
    tool_calls: [{ name: 'echo', arguments: { value }, ...(id === undefined ? {} : { id }) }],
  };
}

const echo = {
  name: 'echo',
  toolset: 'test',
  description: 'Echoes.',
  parameters: z.object({ value: z.unknown() }),
  effect: 'read' as const,
  needsSandbox: false,
  execute: async () => ({ content: 'never called: the executor is a fake', ok: true }),
};

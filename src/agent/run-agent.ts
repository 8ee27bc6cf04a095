import { messageOf } from '../errors.js';
import type { AssistantMessage, Message, ToolMessage } from '../messages/message.js';
import type { ReplyTokens } from '../models/model.js';
import type { EmitEvent } from '../rollout/event.js';
import type { ExitReason } from '../rollout/exit-reason.js';
import type { Tool, ToolContext } from '../tools/tool.js';
import type { AgentInput, AgentOutcome, ExecuteToolCalls } from './agent.js';
import { type AgentExit, exitOfFailure, exitUnlessOutage } from './agent-exit.js';
import { AgentStop } from './agent-stop.js';
import { agentToolContext } from './agent-tool-context.js';
import { answerCalls, refuseCalls } from './answer-calls.js';
import { LoopGuard } from './loop-guard.js';
import { type Asked, ModelCaller } from './model-caller.js';
import type { ReadReply } from './read-reply.js';
import { safeEmit } from './safe-emit.js';
import { ToolTally } from './tool-tally.js';

/**
 * Runs one fresh agent on one prompt: calls the model, runs the tool calls, repeats. Never rejects: whatever a model,
 * a tool or a sandbox does ends in one of the exit reasons, and the conversation is always well formed. Turns count
 * from 1. A conversation that a limit ended may end on a tool result: nothing is added that no model said.
 */
export async function runAgent(
  input: AgentInput,
  executeToolCalls: ExecuteToolCalls,
): Promise<AgentOutcome> {
  return new AgentLoop(input, executeToolCalls).run();
}

/** An empty reply is asked for again so often; each time is a model call of its own. */
const maxEmptyRetries = 2;
const budgets: ReadonlySet<ExitReason> = new Set(['turn_budget', 'token_budget', 'deadline']);
const summaryRequest =
  'You have used all the turns you had, and no more tools can be called. Say in a few sentences what you did, ' +
  'what you found, and what is left to do.';

class AgentLoop {
  readonly #input: AgentInput;
  readonly #executeToolCalls: ExecuteToolCalls;
  readonly #stop: AgentStop;
  readonly #emit: EmitEvent;
  readonly #caller: ModelCaller;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #context: ToolContext;
  readonly #guard: LoopGuard;
  readonly #tally = new ToolTally();
  /** Given to the model as it is: no copy for each turn. */
  readonly #messages: Message[];
  readonly #tokens: (ReplyTokens | null)[] = [];
  #toolMs = 0;

  constructor(input: AgentInput, executeToolCalls: ExecuteToolCalls) {
    const { config, clock, model, signal } = input;
    this.#input = input;
    this.#executeToolCalls = executeToolCalls;
    this.#emit = safeEmit(input.emit);
    this.#messages = [
      { role: 'system', content: input.systemPrompt.toWellFormed() },
      { role: 'user', content: input.prompt.toWellFormed() },
    ];
    this.#tools = new Map(input.tools.map((tool) => [tool.name, tool]));
    this.#guard = new LoopGuard(config);
    const waitedMs = () => waitedBy(model);
    this.#stop = new AgentStop({ signal, clock, deadlineMs: config.deadlineMs, waitedMs });
    this.#context = agentToolContext(input.sandbox, this.#stop);
    this.#caller = new ModelCaller(input, this.#stop, this.#emit);
  }

  async run(): Promise<AgentOutcome> {
    let exit: AgentExit;
    try {
      exit = exitUnlessOutage(await this.#untilExit(), this.#stop.lost, this.#caller);
    } catch (thrown) {
      // Only a bug of the loop itself comes here. It costs this rollout, and no other.
      exit = { reason: 'environment_error', error: `The agent loop failed: ${messageOf(thrown)}` };
    } finally {
      this.#stop.close();
    }
    if (budgets.has(exit.reason)) {
      this.#emit({ type: 'budget-end', reason: exit.reason });
    }
    return this.#outcome(exit);
  }

  async #untilExit(): Promise<AgentExit> {
    for (let turn = 1; ; turn += 1) {
      const over = this.#overBudget();
      if (over?.reason === 'turn_budget' && this.#input.config.onBudget === 'summarize') {
        return this.#summarize(turn, over);
      }
      if (over !== null) {
        return over;
      }
      this.#emit({ type: 'turn-start', turn });
      const exit = await this.#turn(turn);
      this.#emit({ type: 'turn-end', turn });
      if (exit !== null) {
        return exit;
      }
    }
  }

  /** Looked at before each model call. */
  #overBudget(): AgentExit | null {
    const { maxTotalTokens, maxTurns } = this.#input.config;
    const stopped = this.#stop.check();
    if (stopped !== null) {
      return { reason: stopped };
    }
    if (maxTotalTokens !== null && this.#caller.usage.tokens >= maxTotalTokens) {
      return { reason: 'token_budget' };
    }
    return this.#caller.calls >= maxTurns ? { reason: 'turn_budget' } : null;
  }

  async #turn(turn: number): Promise<AgentExit | null> {
    const asked = await this.#askUntilNonEmpty(turn);
    if ('exit' in asked) {
      return asked.exit;
    }
    const { reply } = asked;
    const { finish_reason: finishReason, tool_calls: calls } = reply.message;
    // Calls of a reply that is not whole never run, however complete they look.
    if (finishReason === 'length') {
      this.#store(reply, refuseCalls(calls, 'The reply was cut off at its length limit.'));
      return { reason: 'token_budget' };
    }
    if (finishReason === 'content_filter') {
      this.#storeSubstance(reply, 'The reply was cut off by a content filter.');
      const message = 'The provider filtered the reply.';
      const attempts = reply.retries + 1;
      return exitOfFailure({ class: 'content_policy', retryable: false, message, attempts });
    }
    if (calls.length === 0) {
      this.#store(reply, []);
      return { reason: 'finished' };
    }
    return this.#runCalls(reply, turn);
  }

  async #askUntilNonEmpty(turn: number): Promise<Asked> {
    const { toolSchemas: tools } = this.#input;
    for (let attempt = 0; ; attempt += 1) {
      const question = { turn, messages: this.#messages, tools, attempt, summary: false };
      const asked = await this.#caller.ask(question);
      if ('exit' in asked || !isEmpty(asked.reply.message)) {
        return asked;
      }
      if (attempt === maxEmptyRetries) {
        const attempts = attempt + 1;
        const message = `The model gave an empty reply ${attempts} times in a row.`;
        const failure = { class: 'malformed', retryable: true, message, attempts } as const;
        return { exit: exitOfFailure(failure) };
      }
      const over = this.#overBudget();
      if (over !== null) {
        return { exit: over };
      }
    }
  }

  async #runCalls(reply: ReadReply, turn: number): Promise<AgentExit | null> {
    const { clock, config } = this.#input;
    const batch = {
      calls: reply.message.tool_calls,
      tools: this.#tools,
      context: this.#context,
      signal: this.#stop.abort,
      turn,
      timeoutMs: config.toolTimeoutMs,
      maxResultChars: config.maxResultChars,
      clock,
      emit: this.#emit,
    };
    this.#stop.check();
    const startedAt = clock.monotonic();
    const { results, broken } = await answerCalls(batch, this.#executeToolCalls);
    this.#toolMs += clock.monotonic() - startedAt;
    this.#store(reply, results);
    const stopped = this.#stop.reason;
    if (stopped !== null) {
      return { reason: stopped };
    }
    if (broken !== null) {
      return { reason: broken.exitReason, error: broken.message };
    }
    const stuck = this.#guard.add(reply.message, results);
    return stuck === null ? null : { reason: stuck };
  }

  /** One more call, without tools. When nothing comes of it, the conversation is as if it had not been made. */
  async #summarize(turn: number, over: AgentExit): Promise<AgentExit> {
    // After a user message a second one would break the alternation, and there is nothing to summarise.
    if (this.#messages.at(-1)?.role !== 'tool') {
      return over;
    }
    this.#messages.push({ role: 'user', content: summaryRequest, synthetic: true });
    this.#emit({ type: 'turn-start', turn });
    const question = { turn, messages: this.#messages, tools: [], attempt: 0, summary: true };
    const asked = await this.#caller.ask(question);
    if (!('reply' in asked && this.#storeSubstance(asked.reply, 'The turns are used up.'))) {
      this.#messages.pop();
    }
    this.#emit({ type: 'turn-end', turn });
    return this.#stop.reason === 'cancelled' ? { reason: 'cancelled' } : over;
  }

  /** Stores a reply whose calls are not run, unless there is nothing in it. */
  #storeSubstance(reply: ReadReply, reason: string): boolean {
    const { content, reasoning, tool_calls: calls } = reply.message;
    const substance = content !== '' || reasoning !== null || calls.length > 0;
    if (substance) {
      this.#store(reply, refuseCalls(calls, reason));
    }
    return substance;
  }

  /** Calls and their results enter together: at no moment is there a call without its result. */
  #store({ message, tokens }: ReadReply, results: readonly ToolMessage[]): void {
    this.#messages.push(message);
    this.#tokens.push(tokens);
    for (const result of results) {
      this.#messages.push(result);
      this.#tally.add(result);
    }
  }

  #outcome(exit: AgentExit): AgentOutcome {
    return {
      messages: this.#messages,
      exitReason: exit.reason,
      modelFailure: exit.failure ?? null,
      error: exit.error ?? null,
      turns: this.#tokens.length,
      modelCalls: this.#caller.calls,
      replayedCalls: this.#caller.replayed,
      retries: this.#caller.retries,
      usage: this.#caller.usage.toUsage(),
      modelSeconds: this.#caller.seconds,
      toolSeconds: this.#toolMs / 1000,
      toolStats: this.#tally.toObject(),
      tokens: this.#tokens,
    };
  }
}

/** Nothing to act upon. Reasoning alone is an answer when the model says that it had finished. */
function isEmpty(message: AssistantMessage): boolean {
  if (message.tool_calls.length > 0 || message.content.trim() !== '') {
    return false;
  }
  switch (message.finish_reason) {
    case 'length':
    case 'content_filter':
      return false;
    case 'stop':
      return message.reasoning === null;
    default:
      return true;
  }
}

/** What a model says of its waiting is not taken on trust either. */
function waitedBy(model: AgentInput['model']): number {
  try {
    return Math.max(0, model.waitedMs?.() || 0);
  } catch {
    return 0;
  }
}

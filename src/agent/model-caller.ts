import type { Message } from '../messages/message.js';
import type { ModelFailure } from '../models/model.js';
import type { EmitEvent } from '../rollout/event.js';
import type { ToolSchema } from '../tools/tool.js';
import type { AgentInput } from './agent.js';
import { type AgentExit, exitOfFailure } from './agent-exit.js';
import type { AgentStop } from './agent-stop.js';
import type { ReadReply } from './read-reply.js';
import { readResult } from './read-result.js';
import { settleOrAbandon } from './settle-or-abandon.js';
import { UsageTotal } from './usage-total.js';

/** What came of one model call: a reply, or the end of the loop. */
export type Asked = { readonly reply: ReadReply } | { readonly exit: AgentExit };

/** One model call. */
export interface Question {
  /** 1-based turn that it belongs to. */
  readonly turn: number;
  /** Handed to the model as it is. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** 0 for the first call of a turn; more when the replies before it were empty. */
  readonly attempt: number;
  readonly summary: boolean;
}

/** Time after an abort in which a call may still hand over a reply. */
const graceMs = 1000;

/** Calls the model of one agent, and counts what that takes. */
export class ModelCaller {
  readonly usage = new UsageTotal();
  readonly #input: AgentInput;
  readonly #stop: AgentStop;
  readonly #emit: EmitEvent;
  /** Ids of all tool calls so far. */
  readonly #ids = new Set<string>();
  #calls = 0;
  #replayed = 0;
  #retries = 0;
  #milliseconds = 0;
  #failing: ModelFailure['last'];

  constructor(input: AgentInput, stop: AgentStop, emit: EmitEvent) {
    this.#input = input;
    this.#stop = stop;
    this.#emit = emit;
  }

  /** Calls begun, whatever came of them. Each is one unit of the budget. */
  get calls(): number {
    return this.#calls;
  }

  get replayed(): number {
    return this.#replayed;
  }

  get retries(): number {
    return this.#retries;
  }

  get seconds(): number {
    return this.#milliseconds / 1000;
  }

  /** The last failure of a call that was stopped while it tried again; undefined when there was none. */
  get failing(): ModelFailure['last'] {
    return this.#failing;
  }

  /** Never rejects. A reply that came in spite of an abort is kept: it is whole, and it is paid. */
  async ask({ turn, messages, tools, attempt, summary }: Question): Promise<Asked> {
    const { clock, model, seed } = this.#input;
    const { abort, signal } = this.#stop;
    this.#calls += 1;
    this.#emit({ type: 'model-call-start', turn });
    const startedAt = clock.monotonic();
    // Another seed for each attempt: the same one may give the same empty reply for ever.
    const request = { messages, tools, seed: (seed + attempt) >>> 0 };
    const settled = await settleOrAbandon(() => model.generate(request, signal), {
      signal: abort,
      graceMs,
      clock,
    });
    const elapsed = clock.monotonic() - startedAt;
    this.#milliseconds += elapsed;
    const result = readResult(settled, { turn, model: model.name, ids: this.#ids, summary });
    const reply = result.ok ? result.reply : null;
    this.#emit({
      type: 'model-call-end',
      turn,
      ok: result.ok,
      replayed: reply?.replayed ?? false,
      prompt_tokens: reply?.usage.prompt_tokens ?? 0,
      cached_tokens: reply?.usage.cached_tokens ?? 0,
      completion_tokens: reply?.usage.completion_tokens ?? 0,
      seconds: elapsed / 1000,
    });
    if (result.ok) {
      this.usage.add(result.reply.usage);
      this.#retries += result.reply.retries;
      this.#replayed += result.reply.replayed ? 1 : 0;
      return { reply: result.reply };
    }
    this.#retries += result.failure.attempts - 1;
    // However a client names the failure of an aborted call, the abort is its cause.
    const stopped = this.#stop.reason;
    if (stopped !== null) {
      this.#failing = result.failure.last;
      return { exit: { reason: stopped } };
    }
    const grown = messages.some(({ role }) => role === 'assistant');
    return { exit: exitOfFailure(result.failure, { grown }) };
  }
}

import { parseJson } from '../../json.js';
import type { AbortLike } from '../../lazy-abort.js';
import type { LeanResponse } from '../lean-fetch.js';
import { LostTime } from '../lost-time.js';
import type { Model, ModelRequest, ModelResult } from '../model.js';
import type { ModelConfig, ModelPorts, ModelRollout } from '../model-provider.js';
import { type AttemptResult, withRetry } from '../with-retry.js';
import type { ChatClient } from './chat-client.js';
import { estimateUsage } from './estimate-usage.js';
import {
  explainErrorBody,
  explainFailure,
  type FailureContext,
  malformed,
} from './explain-failure.js';
import { joinStream } from './join-stream.js';
import { type CompletionReply, readCompletion } from './read-completion.js';
import { RequestEncoder } from './request-encoder.js';
import type { RequestTail } from './request-tail.js';

/** What the rollouts of one worker share. */
export interface OpenaiShared {
  readonly config: ModelConfig;
  readonly ports: ModelPorts;
  /** Model name as the server knows it. */
  readonly model: string;
  readonly client: ChatClient;
  readonly tail: RequestTail;
  readonly failures: Omit<FailureContext, 'now'>;
}

/** A model behind an OpenAI-compatible server, for one rollout. */
export class OpenaiModel implements Model {
  readonly name: string;
  readonly #shared: OpenaiShared;
  readonly #rollout: ModelRollout;
  readonly #encoder: RequestEncoder;
  readonly #lostTime: LostTime;
  #calls = 0;

  constructor(shared: OpenaiShared, rollout: ModelRollout) {
    this.name = shared.config.use;
    this.#shared = shared;
    this.#rollout = rollout;
    this.#encoder = new RequestEncoder(rollout.encodedPrompt);
    this.#lostTime = new LostTime(shared.ports.clock);
  }

  waitedMs(): number {
    return this.#lostTime.ms;
  }

  async generate(request: ModelRequest, signal: AbortSignal): Promise<ModelResult> {
    const { config, ports, tail } = this.#shared;
    // The bytes of a call that is still open must not change; a second call beside it gets its own.
    const encoder = this.#calls === 0 ? this.#encoder : new RequestEncoder();
    this.#calls += 1;
    try {
      const body = encoder.encode(request.messages, tail(request.tools, request.seed));
      const result = await withRetry((abort) => this.#attempt(body, abort), {
        maxRetries: config.maxRetries,
        retryBudgetMs: config.retryBudgetMs,
        timeoutMs: config.timeoutMs,
        clock: ports.clock,
        random: ports.random,
        lostTime: this.#lostTime,
        signal,
        onRetry: (retry) => this.#rollout.onRetry?.(retry),
      });
      if (!result.ok) {
        return result;
      }
      const { value, seconds, retries } = result;
      const usage = value.usage ?? estimateUsage(request, value);
      return { ok: true, reply: { ...value, usage, seconds, retries } };
    } finally {
      this.#calls -= 1;
    }
  }

  async #attempt(body: Uint8Array, abort: AbortLike): Promise<AttemptResult<CompletionReply>> {
    const { client, model } = this.#shared;
    try {
      const response = await client.send(body, abort);
      const completion = isStream(response)
        ? await joinStream(client.events(response))
        : await readBody(response);
      if (isStream(response) && completion === null) {
        return this.#malformed('the stream ended before the model did');
      }
      if (completion === undefined) {
        return this.#malformed(`not JSON (${response.headers.get('content-type') ?? 'no type'})`);
      }
      const read = readCompletion(completion, model);
      if (read.ok) {
        return { ok: true, value: read.reply };
      }
      return read.error === null
        ? this.#malformed(read.problem)
        : { ok: false, failure: explainErrorBody(read.error, this.#context()) };
    } catch (thrown) {
      return { ok: false, failure: explainFailure(thrown, this.#context()) };
    }
  }

  #malformed(problem: string): AttemptResult<never> {
    return { ok: false, failure: malformed(problem, this.#context()) };
  }

  #context(): FailureContext {
    return { ...this.#shared.failures, now: this.#shared.ports.clock.now() };
  }
}

/** By the type of the answer and not by what was asked: some gateways stream whatever one asks. */
function isStream(response: LeanResponse): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

/** Undefined when the body is not JSON; servers that send JSON under another type are understood. */
async function readBody(response: LeanResponse): Promise<unknown> {
  const parsed = parseJson(await response.text());
  return parsed.ok ? parsed.value : undefined;
}

import type { AbortLike } from '../src/lazy-abort.js';
import type {
  Model,
  ModelFailure,
  ModelFailureClass,
  ModelReply,
  ModelRequest,
  ModelResult,
  ModelToolCall,
} from '../src/models/model.js';

/** What a scripted model does on one call. */
export type ScriptedStep =
  /** A final answer. */
  | string
  /** A reply; what is left out has a plain default. The finish reason follows from the tool calls. */
  | ScriptedReply
  /** A failure, whole or by its class. */
  | { readonly failure: ModelFailureClass | (Partial<ModelFailure> & Pick<ModelFailure, 'class'>) }
  /** Waits until the call is aborted. */
  | { readonly hang: true }
  /** Breaks the contract of a model: rejects. */
  | { readonly throws: unknown };

export interface ScriptedReply extends Omit<Partial<ModelReply>, 'tool_calls'> {
  readonly tool_calls?: readonly ScriptedCall[];
}

export interface ScriptedCall {
  readonly name: string;
  /** An object is written as JSON; text is taken as it is, so that broken arguments can be scripted. */
  readonly arguments: string | object;
  /** @default null: the agent then makes one */
  readonly id?: string | null;
}

/** A script: the steps in order, or a function of the request and the 0-based number of the call. */
export type Script =
  | readonly ScriptedStep[]
  | ((request: ModelRequest, call: number) => ScriptedStep | Promise<ScriptedStep>);

/** A {@link Model} in the same process that plays a script and keeps what it was asked. */
export interface ScriptedModel extends Model {
  /** One entry a call; the messages are a copy of what they were then. */
  readonly requests: readonly ModelRequest[];
}

/** Makes a {@link ScriptedModel}. After the last step each call fails with `replay_exhausted`. */
export function scriptedModel(script: Script, name = 'scripted:model'): ScriptedModel {
  const requests: ModelRequest[] = [];
  const stepOf = async (request: ModelRequest, call: number): Promise<ScriptedStep> =>
    typeof script === 'function'
      ? script(request, call)
      : (script[call] ?? { failure: 'replay_exhausted' });
  return {
    name,
    requests,
    async generate(request, signal) {
      const call = requests.length;
      requests.push({ ...request, messages: [...request.messages] });
      if (signal.aborted) {
        return failed('cancelled');
      }
      const step = await stepOf(request, call);
      if (typeof step === 'object' && 'throws' in step) {
        throw step.throws;
      }
      if (typeof step === 'object' && 'hang' in step) {
        await aborted(signal);
        return failed('cancelled');
      }
      if (signal.aborted) {
        return failed('cancelled');
      }
      if (typeof step === 'object' && 'failure' in step) {
        return failed(step.failure);
      }
      const given = typeof step === 'string' ? { content: step } : step;
      return { ok: true, reply: replyOf(given, name) };
    },
  };
}

function replyOf(given: ScriptedReply, name: string): ModelReply {
  const calls = (given.tool_calls ?? []).map(
    (call): ModelToolCall => ({
      id: call.id ?? null,
      name: call.name,
      arguments:
        typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    }),
  );
  return {
    content: '',
    reasoning: null,
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      cached_tokens: 0,
      reasoning_tokens: 0,
      source: 'server',
    },
    model: name,
    seconds: 0,
    retries: 0,
    ...given,
    tool_calls: calls,
  };
}

function failed(failure: ModelFailureClass | Partial<ModelFailure>): ModelResult {
  const given = typeof failure === 'string' ? { class: failure } : failure;
  return {
    ok: false,
    failure: {
      class: 'unknown',
      retryable: false,
      message: `scripted failure: ${given.class}`,
      attempts: 1,
      ...given,
    },
  };
}

function aborted(signal: AbortLike): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

import type { JsonObject } from '../../src/json.js';
import type { FakeFault } from './fault.js';

/**
 * Decides what the fake model says. It is given the conversation and should look at nothing else: then a request
 * that is repeated after a crash is answered as before, whatever happened in between.
 */
export type FakeModelScript = (
  request: FakeModelRequest,
) => FakeModelReply | Promise<FakeModelReply>;

/** One request to the fake model. In fast mode `messages` and `tools` are empty and `body` is null. */
export interface FakeModelRequest {
  readonly messages: readonly FakeWireMessage[];
  /** Messages with the role `assistant`: how far the conversation has come. */
  readonly assistantTurns: number;
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
  readonly model: string;
  readonly seed: number | null;
  readonly stream: boolean;
  /** Whole request body. */
  readonly body: JsonObject | null;
  /** Requests with this very conversation so far, this one included; only faults should depend on it. */
  readonly attempt: number;
}

/** A message as it stands in the request. */
export interface FakeWireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: unknown;
}

/** What the fake model answers. Everything is optional: `{}` is an empty reply. */
export interface FakeModelReply {
  readonly content?: string | null;
  readonly reasoning?: string;
  /** Where the reasoning goes; `think` puts it into the content, in `<think>` tags. @default 'reasoning_content' */
  readonly reasoningField?: 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'think';
  readonly toolCalls?: readonly FakeToolCall[];
  /** @default 'tool_calls' when there are tool calls, else 'stop' */
  readonly finishReason?: string;
  /** Replaces the made-up usage; null leaves it out. */
  readonly usage?: JsonObject | null;
  /** The model that answered. @default the model that was asked for */
  readonly model?: string;
  /** Fails the request instead of answering it. */
  readonly fault?: FakeFault;
  /** Replaces the server's latency for this reply. */
  readonly latencyMs?: number;
}

export interface FakeToolCall {
  /** Null leaves it out. @default made from the position in the conversation */
  readonly id?: string | null;
  readonly name: string;
  /** Text goes out as it is; an object is written as JSON text. */
  readonly arguments: string | JsonObject;
}

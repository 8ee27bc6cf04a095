/**
 * The messages of a trajectory. They are data that is stored, so their fields have the names of the file.
 * Reasoning is kept apart from content, and a tool result belongs to its call by id, never by position.
 */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  /** True for text that the loop wrote and no user did (a request to summarise, a nudge). */
  readonly synthetic?: boolean;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  /** Text without reasoning; empty when the reply was tool calls alone. */
  readonly content: string;
  /** Reasoning text, or null when the model gave none. */
  readonly reasoning: string | null;
  /** Empty when the reply was text alone. Ids are unique in the whole trajectory. */
  readonly tool_calls: readonly ToolCall[];
  readonly finish_reason: FinishReason;
  /** The model that really answered. */
  readonly model: string;
  /** Opaque state that this provider wants to see again, byte for byte. */
  readonly provider_state?: unknown;
  /** True for the closing summary of `on_budget: summarize`. */
  readonly summary?: boolean;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly arguments: string;
  /** Why `arguments` is not a JSON object; absent when it is. Such a call is answered with an error and never run. */
  readonly parse_error?: string;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly name: string;
  /** What the model sees. */
  readonly content: string;
  readonly status: ToolStatus;
  /** Length of the full result in code points, before any budget acted. */
  readonly original_chars: number;
  /** The budget tier that shortened this result (1 per tool, 2 per result, 3 per turn), or null. */
  readonly tier: 1 | 2 | 3 | null;
  /** SHA-256 of the full result. */
  readonly sha256: string;
  /** Seconds that the tool ran. */
  readonly seconds: number;
}

/** `error`: the tool says that it failed. `invalid`: the call never reached a tool. `cancelled`: interrupted or never started. */
export type ToolStatus = 'ok' | 'error' | 'invalid' | 'cancelled';

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'unknown';

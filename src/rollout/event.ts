import type { ExitReason, RolloutStatus } from './exit-reason.js';

/** Which rollout an event is about. */
export interface EventOrigin {
  readonly task_key: string;
  readonly sample: number;
  readonly attempt: number;
}

/**
 * Everything that happens in a rollout, as it happens: small, plain data. The progress display, `tail`, the
 * viewer and the tests read the same events. Names are noun-start, noun-delta, noun-end.
 */
export type RolloutEvent = EventOrigin & RolloutEventBody;

export type EventType = RolloutEventBody['type'];

export type RolloutEventBody =
  | { readonly type: 'rollout-start' }
  | { readonly type: 'sandbox-start'; readonly kind: string }
  | { readonly type: 'sandbox-end'; readonly seconds: number }
  | { readonly type: 'turn-start'; readonly turn: number }
  | { readonly type: 'model-call-start'; readonly turn: number }
  | { readonly type: 'model-call-delta'; readonly turn: number; readonly text: string }
  | {
      readonly type: 'model-call-end';
      readonly turn: number;
      readonly ok: boolean;
      readonly replayed: boolean;
      readonly prompt_tokens: number;
      /** Of the prompt tokens. */
      readonly cached_tokens: number;
      readonly completion_tokens: number;
      readonly seconds: number;
    }
  | {
      readonly type: 'retry-start';
      readonly class: string;
      /** Attempts at this call so far; `attempt` is that of the rollout. */
      readonly call_attempt: number;
      readonly wait_ms: number;
      readonly message: string;
    }
  | {
      readonly type: 'tool-start';
      readonly turn: number;
      readonly call_id: string;
      readonly name: string;
      readonly summary: string;
    }
  | {
      readonly type: 'tool-end';
      readonly turn: number;
      readonly call_id: string;
      readonly name: string;
      readonly ok: boolean;
      readonly seconds: number;
      readonly original_chars: number;
      readonly tier: 1 | 2 | 3 | null;
    }
  | { readonly type: 'turn-end'; readonly turn: number }
  | { readonly type: 'budget-end'; readonly reason: ExitReason }
  | { readonly type: 'reward-start'; readonly name: string }
  | {
      readonly type: 'reward-end';
      readonly name: string;
      readonly state: string;
      readonly value: number | null;
    }
  | {
      readonly type: 'rollout-end';
      readonly status: RolloutStatus;
      readonly exit_reason: ExitReason;
      readonly error_class: string | null;
      readonly error_message: string | null;
      readonly reward: number | null;
      readonly turns: number;
      readonly seconds: number;
    };

/** Takes the events of one rollout. Must not throw. */
export type EmitEvent = (event: RolloutEventBody) => void;

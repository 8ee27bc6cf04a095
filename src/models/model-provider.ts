import type { Clock } from '../clock.js';
import type { Random } from '../random.js';
import type { Task } from '../rollout/task.js';
import type { EncodedPrompt } from '../rollout/task-text.js';
import type { Model } from './model.js';

/** A kind of model, one file in `providers/`. Its name is what stands before the colon in `provider:model`. */
export interface ModelProvider {
  readonly name: string;
  readonly description: string;
  /** True when it answers from local data: no network, no key, nothing to pay, and no reasoning to require. */
  readonly offline: boolean;
  /** Opens what the rollouts of one worker share (sockets). Throws a TalariaError on a bad configuration. */
  open(config: ModelConfig, ports: ModelPorts): Promise<ModelConnection>;
  /** Finds out without a paid call whether anything answers there. Throws a usage error that says what to do. */
  preflight?(config: ModelConfig): Promise<void>;
}

export interface ModelConnection {
  forRollout(rollout: ModelRollout): Model;
  close(): Promise<void>;
}

/** What a model may know of the rollout that it answers in. */
export interface ModelRollout {
  readonly task: Task;
  /** Saves the encoding of a long prompt, where it was encoded before. */
  readonly encodedPrompt?: EncodedPrompt;
  readonly taskKey: string;
  readonly sample: number;
  readonly seed: number;
  /** Called before a wait, so that it shows as it happens. */
  onRetry?(retry: ModelRetry): void;
}

export interface ModelRetry {
  readonly class: string;
  readonly attempt: number;
  readonly waitMs: number;
  readonly message: string;
}

export interface ModelPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/** One model, resolved: every field is present. */
export interface ModelConfig {
  /** `provider:model`. */
  readonly use: string;
  readonly baseUrl: string | null;
  /** The key itself. Never stored, never logged, never sent anywhere but to the provider. */
  readonly apiKey: string | null;
  readonly apiKeyEnv: string | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  /** Extra fields of the request body, as the server documents them. */
  readonly extraBody: { readonly [key: string]: unknown };
  readonly headers: { readonly [name: string]: string };
  readonly reasoningEffort: ReasoningEffort | null;
  readonly maxRetries: number;
  /** Total time that one call may spend on retries and waits. */
  readonly retryBudgetMs: number;
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  /** Sockets per worker: at least the rollouts that a worker runs at once. */
  readonly connections: number;
  /** `replay` only: the JSONL file of recorded turns, absolute. */
  readonly replayPath: string | null;
  /** US dollars per million tokens, or null when not given: then costs are unknown, not 0. */
  readonly price: ModelPrice | null;
}

export interface ModelPrice {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

export type ReasoningEffort =
  | 'none'
  | 'minimal'
  | 'low'
  | 'medium'
  | 'high'
  | 'xhigh'
  | 'max'
  | 'ultra';

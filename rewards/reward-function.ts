import type { JsonObject } from '../src/json.js';
import type { Message } from '../src/messages/message.js';
import type { ExitReason } from '../src/rollout/exit-reason.js';
import type { Task } from '../src/rollout/task.js';
import type { SandboxSession } from '../src/sandbox/sandbox.js';

/** A reward: one file in `rewards/builtin/`, one export; or a user's own object of this shape. */
export interface RewardFunction {
  readonly name: string;
  readonly description: string;
  /** Whether it looks into the sandbox. Only then is a verifier sandbox made. */
  readonly needsSandbox: boolean;
  /**
   * Whether there is anything to score in rollouts of this task. Asked before a sandbox is made for the reward.
   * @default always
   */
  applies?(task: Task): Promise<boolean>;
  /**
   * Scores a finished rollout. A null value means that it does not apply. Throwing is recorded as `failed`,
   * and neither is ever a 0.
   */
  score(rollout: ScoredRollout, context: RewardContext): Promise<RewardScore>;
}

export interface RewardScore {
  /** A number from -1e100 to 1e100, or null for "not applicable". */
  readonly value: number | null;
  readonly metrics?: { readonly [name: string]: number };
  readonly explanation?: string;
}

/** What a reward may know of the rollout that it scores. */
export interface ScoredRollout {
  readonly task: Task;
  readonly taskKey: string;
  readonly sample: number;
  readonly messages: readonly Message[];
  readonly exitReason: ExitReason;
  /** Text of the last assistant message; empty when there is none. */
  readonly finalAnswer: string;
}

export interface RewardContext {
  /** The verifier sandbox, with a fresh shell. Throws when the reward did not ask for one. */
  readonly sandbox: SandboxSession;
  /** Where the task's own directory is in the sandbox. */
  readonly cwd: string;
  /** Options of this reward's entry in the configuration. */
  readonly options: JsonObject;
  readonly signal: AbortSignal;
  /** Time that this reward may take. */
  readonly deadlineMs: number;
}

/** One entry of `rewards:` in the configuration, resolved. */
export interface RewardConfig {
  /** Name of a built-in, or path of a user's module. */
  readonly use: string;
  readonly weight: number;
  readonly options: JsonObject;
}

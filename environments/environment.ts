import type { RewardContext, RewardScore, ScoredRollout } from '../rewards/reward-function.js';
import type { JsonObject } from '../src/json.js';
import type { Task } from '../src/rollout/task.js';
import type { SandboxSession } from '../src/sandbox/sandbox.js';

/**
 * A source of tasks and, if it has one, their scoring. `tasks` runs in the main thread, `prompt`, `setup` and
 * `score` in the workers; each thread has its own instance, and nothing is shared between them but the task.
 */
export interface Environment {
  readonly name: string;
  /** Streams the tasks, in the order of the data set. Throws a TalariaError that names file and line. */
  tasks(): AsyncIterable<Task>;
  /**
   * Digest of everything that `tasks` reads. Equal digests mean equal tasks, so that a resumed run need not
   * read them again. Absent: always read.
   */
  fingerprint?(): Promise<string>;
  /** Rows that `tasks` left out by `on_bad_row: skip`, once it has ended. */
  skippedRows?(): number;
  /** The first user message. @default the task's prompt */
  prompt?(task: Task): string;
  /** Prepares the sandbox, after the task's files and before its setup commands. */
  setup?(task: Task, context: SetupContext): Promise<void>;
  /** A reward of the environment's own, named after it, beside those of the configuration. */
  score?(rollout: ScoredRollout, context: RewardContext): Promise<RewardScore>;
  /**
   * Whether `score` looks into the sandbox.
   * @default true where the rollout has a sandbox anyway
   */
  readonly scoreNeedsSandbox?: boolean;
}

export interface SetupContext {
  readonly sandbox: SandboxSession;
  readonly signal: AbortSignal;
}

/** A kind of environment, one file in `kinds/`. */
export interface EnvironmentKind {
  readonly kind: string;
  readonly description: string;
  /** Opens it from its entry in the configuration. Throws a TalariaError (`usage`) on a bad one. */
  open(config: EnvironmentConfig): Promise<Environment>;
}

/** `environment:` of the configuration, resolved. */
export interface EnvironmentConfig {
  /** A built-in kind, or `module`. */
  readonly kind: string;
  /** Data set, task folder or module; absolute. Null where the kind needs none. */
  readonly path: string | null;
  readonly onBadRow: 'error' | 'skip';
  /** Whatever else the entry holds, for user modules. */
  readonly options: JsonObject;
}

import type { Json, JsonObject } from '../json.js';

/** What one rollout is asked to do. Plain JSON: it crosses threads and is stored in the plan. */
export interface Task {
  /** The user's own name for it, or null. */
  readonly id: string | null;
  readonly prompt: string;
  readonly image: string | null;
  /** Where the agent's shell starts, or null for the sandbox's work directory. */
  readonly cwd: string | null;
  readonly files: readonly TaskFile[];
  /** Shell commands that prepare the sandbox before the agent starts, or null. */
  readonly setup: string | null;
  /** Programs that must exist in the sandbox, for example `python3`. */
  readonly requires: readonly string[];
  /** The task folder on the host, absolute, for `tests/` and `solution/`; null for plain rows. */
  readonly folder: string | null;
  /** Digest of the whole folder, where the environment gives one. */
  readonly digest: string | null;
  readonly agent_timeout_s: number | null;
  readonly tests_timeout_s: number | null;
  readonly tags: readonly string[];
  /** Carried to the output; never part of the key. */
  readonly answer: Json;
  readonly metadata: JsonObject;
}

/** A file that is put into the sandbox before the agent starts. Just one of `text` and `host_path` is set. */
export interface TaskFile {
  /** Path in the sandbox, relative to the task's cwd, or absolute. */
  readonly path: string;
  readonly text: string | null;
  /** Absolute path on the host. */
  readonly host_path: string | null;
  /** SHA-256 of the content. */
  readonly sha256: string;
  /** Permission bits, for example 0o755. */
  readonly mode: number;
}

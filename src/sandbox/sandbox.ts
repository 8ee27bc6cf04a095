/** Where a rollout's commands run. The runner owns a {@link Sandbox}; tools get its {@link SandboxSession} only. */
export interface SandboxSession {
  /** Where files belong and a new shell starts; absolute. */
  readonly home: string;
  /**
   * Directory for what the session's owner puts there. In a verifier nothing in it, nor above it, is the agent's: many
   * programs look for their settings in each directory above the file that they are given. @default /tmp
   */
  readonly scratch?: string;
  /**
   * Runs a POSIX shell command. Working directory and exported variables carry over to the next command.
   * A command that fails is a result; only a sandbox that is gone rejects, with `sandbox_unavailable`.
   */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** The bytes of a file (at most `maxBytes`), or null when there is no such file. Rejects for a directory. */
  read(path: string, options?: { readonly maxBytes?: number }): Promise<Buffer | null>;
  /** Writes a file, with its parent directories. Paths are absolute, or relative to the shell's directory. */
  write(
    path: string,
    data: string | Uint8Array,
    options?: { readonly mode?: number },
  ): Promise<void>;
}

export interface ExecOptions {
  /** Directory for this command alone; the shell's directory is as before afterwards. */
  readonly cwd?: string;
  /** Variables for this command alone. */
  readonly env?: { readonly [name: string]: string };
  /** Kills the whole process tree of the command. @default `commandTimeoutMs` of the sandbox */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Bytes kept of each stream while it runs; the head 40 %, the tail 60 %. @default 1_000_000 */
  readonly maxOutputBytes?: number;
  /** Sends stderr into stdout, in the order in which it was written. @default false */
  readonly mergeStderr?: boolean;
  /** Standard input. @default empty */
  readonly stdin?: string | Uint8Array;
}

export interface ExecResult {
  /** 128 + signal number when a signal ended it; 124 after a timeout; 130 after an abort. */
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** True when the sandbox knows that memory ran out. */
  readonly outOfMemory: boolean;
  /** Bytes that the cap removed from each stream. */
  readonly omittedBytes: { readonly stdout: number; readonly stderr: number };
  readonly durationMs: number;
  /** Why it was not run at all: the sandbox isolates nothing, and it would have harmed its host. */
  readonly blocked?: string;
}

/** How a task is scored: see {@link Sandbox.verifier}. */
export type VerifyMode = 'fresh' | 'snapshot' | 'same';

/** A machine that commands can harm. */
export interface ExposedHost {
  /** Home directory of the user that they run as. */
  readonly home: string;
}

/** One sandbox of one rollout. */
export interface Sandbox {
  readonly kind: string;
  readonly session: SandboxSession;
  /** The machine around it that it does not isolate, whose agent's commands are guarded; null where it does. */
  readonly exposes: ExposedHost | null;
  /** What is really enforced here, by name (`network`, `memory_mb`, `pids`, `read_only_system`). */
  readonly limits: { readonly [name: string]: boolean };
  /**
   * A sandbox to score in; closing it does not close this one.
   * `same`: this sandbox, with a fresh shell and the system's own PATH, after the agent's shell and what it left in the
   * foreground were stopped. `snapshot`: the agent's file changes over the clean system, no process of it.
   * `fresh`: a clean one without its files. Rejects with `sandbox_unavailable` when a mode is not possible here.
   */
  verifier(mode: VerifyMode): Promise<Sandbox>;
  /** Stops every process and removes every file. May be called twice. */
  close(): Promise<void>;
}

/**
 * `strict`: unprivileged, no capabilities, read-only root. `root`: root without dangerous capabilities.
 * `engine-default`: what the engine gives, for benchmarks that need it.
 */
export type SandboxProfile = 'strict' | 'root' | 'engine-default';

export interface SandboxSpec {
  readonly image: string | null;
  /** Where the shell starts; made if it does not exist. Null: the sandbox's own work directory. */
  readonly cwd: string | null;
  readonly network: 'none' | 'host';
  readonly memoryMb: number | null;
  readonly cpus: number | null;
  /** What it may write to disk. */
  readonly diskMb: number;
  /** How much a container may do; other kinds have one profile only. */
  readonly profile: SandboxProfile;
  /** Runtime of the container engine, for example `runsc` (gVisor); null for the engine's own. */
  readonly runtime: string | null;
  readonly env: { readonly [name: string]: string };
  /** Limit of a command that is given none. */
  readonly commandTimeoutMs: number;
  /** Commands of agents that run at once in this thread, over all of its sandboxes. */
  readonly maxParallelExec: number;
  /** Labels by which a later start finds and sweeps what a crash left. */
  readonly owner: SandboxOwner;
}

export interface SandboxOwner {
  readonly runId: string;
  /** Process that owns it, and when that process started: a recycled process id is told apart. */
  readonly pid: number;
  readonly startedAt: string;
}

/** A kind of sandbox, one file in `providers/`. */
export interface SandboxProvider {
  readonly kind: string;
  readonly description: string;
  /** Whether it works on this host; `hint` says what to install or to set. Never rejects. */
  probe(): Promise<SandboxProbe>;
  /** Has an image ready before a rollout needs it. Rejects with `sandbox_unavailable`. Absent: there are no images. */
  prepare?(image: string): Promise<void>;
  /** Rejects with `sandbox_unavailable`, and leaves nothing behind when it does. */
  create(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox>;
  /** Removes sandboxes whose owner is dead. Returns how many. */
  sweep(): Promise<number>;
}

export type SandboxProbe =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly reason: string; readonly hint: string };

/** `sandbox:` of the configuration, resolved. */
export interface SandboxConfig {
  readonly kind: 'auto' | 'docker' | 'bubblewrap' | 'ssh' | 'local';
  readonly image: string | null;
  readonly network: 'none' | 'host';
  readonly memoryMb: number | null;
  readonly cpus: number | null;
  /** What it may write to disk. */
  readonly diskMb: number;
  readonly profile: SandboxProfile;
  readonly runtime: string | null;
  readonly env: { readonly [name: string]: string };
  /** Allows `local`, which isolates nothing. */
  readonly trust: boolean;
  readonly commandTimeoutMs: number;
  /** Commands of agents that run at once, over all sandboxes. */
  readonly maxParallelExec: number;
}

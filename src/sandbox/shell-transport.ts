import type { Readable, Writable } from 'node:stream';

/** Streams of a running {@link shellDispatcher}: pipes of a child process, or an exec stream of a container engine. */
export interface ShellTransport {
  readonly input: Writable;
  /**
   * Pairs of output streams. A second lane keeps a verifier's and the session's own reads apart from what the agent's
   * background jobs write. Lane 0 is fds 1 and 2 of the shell, lane 1 is fds 3 and 4.
   */
  readonly lanes: readonly ShellLane[];
  /** Resolves with the reason once the shell is gone. */
  readonly gone: Promise<string>;
  /** True once the shell should be replaced before its next command, though what runs may end. */
  readonly retired: boolean;
  /** Ends the shell at once. May be called twice. */
  destroy(): void;
}

export interface ShellLane {
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** What a {@link ShellChannel} needs of the sandbox around it. */
export interface ShellHost {
  /** Starts a shell. Rejects with `sandbox_unavailable`. */
  open(): Promise<ShellTransport>;
  /** Whether a new shell may take the place of one that is gone. */
  readonly reopens: boolean;
  /** The name of command `number` in `TALARIA_EXEC_ID`, unique among the processes that {@link kill} looks at. */
  executionId(number: number): string;
  /** Kills every process of one command, which began `elapsedMs` ago. Must not throw. */
  kill(executionId: string, elapsedMs: number): void | Promise<void>;
  /** Why the sandbox itself is gone, asked when its shell is; null when another shell can take its place. Never rejects. */
  whyEnded?(): Promise<string | null>;
  /** Whether memory ran out since the last question; asked after a command that ended badly. Never rejects. */
  ranOutOfMemory?(): Promise<boolean>;
}

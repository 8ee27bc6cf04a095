import type { ShellTransport } from './shell-transport.js';

/** The processes of one sandbox, whatever holds them: the host, a container engine, a machine that is far away. */
export interface ShellBackend {
  /**
   * Starts a dispatcher, once the one before is gone. Rejects with `sandbox_unavailable`.
   * @param stored files of the sessions' states, in the dispatcher's directory
   */
  open(stored: readonly string[]): Promise<OpenedShell>;
  /** Kills every process of one command, which began `elapsedMs` ago. Never rejects. */
  killCommand(executionId: string, elapsedMs: number): Promise<void>;
  /** Ends the shell that is open, if one is, and resolves once it is gone. Rejects with `sandbox_unavailable`. */
  endShell(): Promise<void>;
  /** Ends every process of the agent. The shell goes on, or is replaced by the next command. */
  killAll(reopen: () => Promise<void>): Promise<void>;
  /** Ends every process; nothing can be opened any more. */
  close(): Promise<void>;
  /** Why the sandbox itself is gone, asked when its shell is; null when another shell can take its place. @default it never is */
  whyEnded?(): Promise<string | null>;
  /** Whether memory ran out since the last question; asked after a command that ended badly. @default it never tells */
  ranOutOfMemory?(): Promise<boolean>;
}

export interface OpenedShell {
  readonly transport: ShellTransport;
  /** Those of the stored files that are still there. */
  readonly kept: readonly string[];
}

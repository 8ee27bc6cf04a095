import { randomBytes } from 'node:crypto';
import { systemClock } from '../clock.js';
import { messageOf, TalariaError } from '../errors.js';
import { commandOfName, processesOfCommand } from './command-processes.js';
import { killProcesses } from './kill-processes.js';
import { type ProcessEntry, type Sighting, ticksPerSecond, uptimeTicks } from './process-table.js';
import type { Sandbox, SandboxSession, VerifyMode } from './sandbox.js';
import { ShellChannel } from './shell-channel.js';
import type { ShellStart } from './shell-prelude.js';
import { ShellSession } from './shell-session.js';
import type { SpawnedShell } from './spawn-shell.js';
import type { StateDirectory } from './state-directory.js';

/** What makes one kind of sandbox of host processes differ from another. */
export interface ProcessSandboxPlan {
  readonly kind: string;
  readonly limits: { readonly [name: string]: boolean };
  readonly home: string;
  /** {@link SandboxSession.scratch} */
  readonly scratch: string;
  /** Limit of a command that is given none. */
  readonly commandTimeoutMs: number;
  readonly start: ShellStart;
  /** Whether the directory that it begins in has to be made first. */
  readonly makeStart: boolean;
  /** The dispatcher's directory for state, as the sandbox sees it. */
  readonly stateDirectory: string;
  /** The same directory, as the host sees it. */
  readonly state: StateDirectory;
  readonly executionId: (number: number) => string;
  readonly spawn: () => SpawnedShell;
  /** A search, to be repeated, for every process of the sandbox: its shell and, if it is a plain process, its launcher. */
  readonly search: (shell: SpawnedShell) => () => Iterable<Sighting>;
  /** The id of the command that a process says it is of, or null. */
  readonly executionOf: (pid: number) => string | null;
  /** Whether no process outlives the shell: the kernel sees to it in a process id namespace. */
  readonly shellHoldsAll: boolean;
  /** Another sandbox over the same files, or a clean one without them. */
  readonly another: (files: 'same' | 'none') => Promise<Sandbox>;
  /** Opens the directories again that everybody in the sandbox needs, should the agent have closed them. */
  readonly openShared: () => void;
  /** Removes the files; called once, when no process is left. */
  readonly removeFiles: () => Promise<void>;
}

/** Two ticks: the clock of process starts is that coarse. */
const marginTicks = 2;
const endMs = 15_000;

/** A sandbox whose processes are processes of this host: bubblewrap's and the local one. */
export class ProcessSandbox implements Sandbox {
  readonly kind: string;
  readonly limits: { readonly [name: string]: boolean };
  readonly #plan: ProcessSandboxPlan;
  readonly #channel: ShellChannel;
  readonly #session: ShellSession;
  readonly #sessions: ShellSession[] = [];
  readonly #inner: Sandbox[] = [];
  #shell: SpawnedShell | null = null;
  #closing: Promise<void> | null = null;

  constructor(plan: ProcessSandboxPlan) {
    this.kind = plan.kind;
    this.limits = plan.limits;
    this.#plan = plan;
    this.#channel = new ShellChannel({
      stateDirectory: plan.stateDirectory,
      clock: systemClock,
      host: {
        reopens: true,
        executionId: plan.executionId,
        open: async () => {
          if (this.#shell !== null) {
            await this.#end(this.#shell);
          }
          this.#shell = this.#spawn();
          return this.#shell;
        },
        kill: (executionId, elapsedMs) => this.#killCommand(executionId, elapsedMs),
      },
    });
    this.#session = this.#newSession('agent', 1);
  }

  get session(): SandboxSession {
    return this.#session;
  }

  /** Starts it and makes the directory that its session begins in. On failure it is closed. */
  async open(signal: AbortSignal): Promise<this> {
    const onAbort = () => this.#channel.close('it was cancelled before it had started');
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) {
        onAbort();
      }
      await this.#channel.open();
      if (this.#plan.makeStart) {
        await this.#session.makeDirectory(this.#plan.start.directory);
      }
      return this;
    } catch (thrown) {
      await this.close();
      throw thrown;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async verifier(mode: VerifyMode): Promise<Sandbox> {
    if (this.#closing !== null) {
      throw new TalariaError({
        code: 'sandbox_unavailable',
        message: 'A sandbox that was closed cannot be scored in.',
      });
    }
    if (mode === 'fresh') {
      return this.#another('none');
    }
    this.#session.stop();
    if (mode === 'snapshot') {
      await this.#killAll();
      return this.#another('same');
    }
    return this.#sameView();
  }

  async #another(files: 'same' | 'none'): Promise<Sandbox> {
    const sandbox = await this.#plan.another(files);
    this.#inner.push(sandbox);
    return sandbox;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#channel.close('it was closed');
    await Promise.all(this.#inner.map((sandbox) => sandbox.close()));
    try {
      await this.#endAll();
    } finally {
      await this.#plan.removeFiles();
    }
  }

  async #endAll(): Promise<void> {
    const shell = this.#shell;
    if (shell === null) {
      return;
    }
    const killAll = () => this.#kill(shell, (processes) => processes.map(({ pid }) => pid));
    if (this.#plan.shellHoldsAll) {
      await this.#end(shell);
    } else {
      await killAll();
      await this.#end(shell);
      await killAll();
    }
  }

  /**
   * This sandbox with a fresh shell on the lane that no process of the agent writes to. A shell that the agent left unable
   * to work is replaced, which costs the agent what it left running.
   */
  async #sameView(): Promise<Sandbox> {
    this.#plan.openShared();
    // Not to be guessed: the agent could have put something in its place.
    const session = this.#newSession(`verifier-${randomBytes(8).toString('hex')}`, 0);
    if (!(await session.mend(this.#plan.stateDirectory))) {
      await this.#channel.open();
      if (this.#shell !== null) {
        await this.#end(this.#shell);
      }
      session.forgetState();
      await this.#channel.open();
    }
    return {
      kind: this.kind,
      limits: this.limits,
      session,
      verifier: (mode) => this.verifier(mode),
      close: async () => session.stop(),
    };
  }

  #newSession(name: string, lane: number): ShellSession {
    const session = new ShellSession({
      name,
      home: this.#plan.home,
      scratch: this.#plan.scratch,
      commandTimeoutMs: this.#plan.commandTimeoutMs,
      start: this.#plan.start,
      commands: { channel: this.#channel, lane },
      files: { channel: this.#channel, lane: 0 },
    });
    this.#sessions.push(session);
    return session;
  }

  /** A shell in place of one that is gone goes on with what the sessions had stored. */
  #spawn(): SpawnedShell {
    try {
      const stored = this.#sessions.map(({ stateFile }) => stateFile);
      const kept = this.#plan.state.renew(stored.filter((file) => file !== null));
      for (const session of this.#sessions) {
        if (session.stateFile !== null && !kept.includes(session.stateFile)) {
          session.forgetState();
        }
      }
    } catch (thrown) {
      throw new TalariaError({
        code: 'sandbox_unavailable',
        message: `The directory of the sandbox's shell cannot be made: ${messageOf(thrown)}.`,
        cause: thrown,
      });
    }
    return this.#plan.spawn();
  }

  async #killCommand(executionId: string, elapsedMs: number): Promise<void> {
    const shell = this.#shell;
    if (shell === null || (shell.shellPid === null && this.#plan.shellHoldsAll)) {
      return;
    }
    const shellPid = shell.shellPid ?? 0;
    const sinceTicks = uptimeTicks() - (elapsedMs / 1_000) * ticksPerSecond - marginTicks;
    const caught = await this.#kill(shell, (processes) =>
      processesOfCommand(
        processes.map((entry) => ({ ...entry, executionId: this.#executionOf(entry) })),
        { executionId, shell: shellPid, sinceTicks },
      ),
    );
    if (!caught && this.#plan.shellHoldsAll) {
      // Nobody outruns the end of the namespace. It takes what earlier commands left running, too.
      shell.destroy();
    }
  }

  #executionOf({ pid, name }: ProcessEntry): string | null {
    const number = commandOfName(name);
    return this.#plan.executionOf(pid) ?? (number === null ? null : this.#plan.executionId(number));
  }

  /** Ends every process; the shell goes on or is replaced by the next command. */
  async #killAll(): Promise<void> {
    if (!this.#plan.shellHoldsAll) {
      // Passes once what was stopped has ended.
      await this.#channel.open();
    }
    const shell = this.#shell;
    if (shell === null) {
      return;
    }
    if (this.#plan.shellHoldsAll) {
      await this.#end(shell);
      return;
    }
    const { shellPid } = shell;
    await this.#kill(shell, (processes) =>
      processes.map(({ pid }) => pid).filter((pid) => pid !== shellPid),
    );
  }

  #kill(
    shell: SpawnedShell,
    choose: (processes: readonly ProcessEntry[]) => readonly number[],
  ): Promise<boolean> {
    return killProcesses({
      search: this.#plan.search(shell),
      exact: this.#plan.shellHoldsAll,
      wholeGroups: true,
      choose: (processes) => choose(processes.filter(({ pid }) => pid !== shell.launcherPid)),
    });
  }

  /** Ends the shell and waits until it is gone. Rejects with `sandbox_unavailable` when it does not go. */
  async #end(shell: SpawnedShell): Promise<void> {
    shell.destroy();
    const timer = new AbortController();
    const isGone = await Promise.race([
      shell.gone.then(() => true),
      systemClock.sleep(endMs, timer.signal).then(() => false),
    ]);
    timer.abort();
    if (!isGone) {
      throw new TalariaError({
        code: 'sandbox_unavailable',
        message: `The processes of the sandbox did not end within ${endMs / 1000} s.`,
      });
    }
  }
}

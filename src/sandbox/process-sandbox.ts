import { systemClock } from '../clock.js';
import { TalariaError } from '../errors.js';
import { commandOfName, processesOfCommand, type SandboxProcess } from './command-processes.js';
import { killProcesses } from './kill-processes.js';
import { ticksPerSecond, uptimeTicks } from './process-table.js';
import type { Sandbox, SandboxSession, VerifyMode } from './sandbox.js';
import { ShellChannel } from './shell-channel.js';
import type { ShellStart } from './shell-prelude.js';
import { ShellSession } from './shell-session.js';
import type { SpawnedShell } from './spawn-shell.js';

/** What makes one kind of sandbox of host processes differ from another. */
export interface ProcessSandboxPlan {
  readonly kind: string;
  readonly limits: { readonly [name: string]: boolean };
  readonly home: string;
  /** Limit of a command that is given none. */
  readonly commandTimeoutMs: number;
  readonly start: ShellStart;
  /** Whether the directory that it begins in has to be made first. */
  readonly makeStart: boolean;
  /** The dispatcher's directory for state, as the sandbox sees it. */
  readonly stateDirectory: string;
  /** Whether the sandbox lives on when its shell is gone. */
  readonly reopens: boolean;
  readonly executionId: (number: number) => string;
  readonly spawn: () => SpawnedShell;
  /** Every live process of the sandbox but its launcher, and its shell among them, with the id that it carries. */
  readonly processes: (shell: SpawnedShell) => readonly SandboxProcess[];
  /** The shell's own process id on the host; null when it is not known. */
  readonly shellPid: (shell: SpawnedShell) => number | null;
  /** Another sandbox over the same files, or a clean one without them. */
  readonly another: (files: 'same' | 'none') => Promise<Sandbox>;
  /** Removes the files; called once, when no process is left. */
  readonly removeFiles: () => Promise<void>;
}

/** Two ticks: the clock of process starts is that coarse. */
const marginTicks = 2;
const closeMs = 5_000;

/** A sandbox whose processes are processes of this host: bubblewrap's and the local one. */
export class ProcessSandbox implements Sandbox {
  readonly kind: string;
  readonly limits: { readonly [name: string]: boolean };
  readonly #plan: ProcessSandboxPlan;
  readonly #channel: ShellChannel;
  readonly #session: ShellSession;
  readonly #inner: Sandbox[] = [];
  #shell: SpawnedShell | null = null;
  #views = 0;
  #closing: Promise<void> | null = null;

  constructor(plan: ProcessSandboxPlan) {
    this.kind = plan.kind;
    this.limits = plan.limits;
    this.#plan = plan;
    this.#channel = new ShellChannel({
      stateDirectory: plan.stateDirectory,
      clock: systemClock,
      host: {
        reopens: plan.reopens,
        executionId: plan.executionId,
        open: async () => {
          this.#shell = plan.spawn();
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
    if (mode !== 'fresh') {
      this.#session.stop();
      // Passes once what was stopped has ended.
      await this.#channel.open();
    }
    if (mode === 'same') {
      return this.#sameView();
    }
    if (mode === 'snapshot') {
      this.#killAll({ shell: false });
    }
    const sandbox = await this.#plan.another(mode === 'snapshot' ? 'same' : 'none');
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
    const shell = this.#shell;
    if (shell !== null) {
      this.#killAll({ shell: true });
      shell.destroy();
      const timer = new AbortController();
      await Promise.race([shell.gone, systemClock.sleep(closeMs, timer.signal)]);
      timer.abort();
      this.#killAll({ shell: true });
    }
    await this.#plan.removeFiles();
  }

  /** This sandbox with a fresh shell on the lane that no process of the agent writes to. */
  #sameView(): Sandbox {
    this.#views += 1;
    const session = this.#newSession(`verifier${this.#views}`, 0);
    return {
      kind: this.kind,
      limits: this.limits,
      session,
      verifier: (mode) => this.verifier(mode),
      close: async () => session.stop(),
    };
  }

  #newSession(name: string, lane: number): ShellSession {
    return new ShellSession({
      name,
      home: this.#plan.home,
      commandTimeoutMs: this.#plan.commandTimeoutMs,
      start: this.#plan.start,
      commands: { channel: this.#channel, lane },
      files: { channel: this.#channel, lane: 0 },
    });
  }

  #killCommand(executionId: string, elapsedMs: number): void {
    const shell = this.#shell;
    const shellPid = shell === null ? null : this.#plan.shellPid(shell);
    if (shell === null || shellPid === null) {
      return;
    }
    const sinceTicks = uptimeTicks() - (elapsedMs / 1_000) * ticksPerSecond - marginTicks;
    killProcesses(() =>
      processesOfCommand(this.#processes(shell), {
        executionId,
        shell: shellPid,
        sinceTicks,
      }),
    );
  }

  #processes(shell: SpawnedShell): SandboxProcess[] {
    return this.#plan.processes(shell).map((entry) => {
      const number = entry.executionId === null ? commandOfName(entry.name) : null;
      return number === null ? entry : { ...entry, executionId: this.#plan.executionId(number) };
    });
  }

  #killAll(kill: { readonly shell: boolean }): void {
    const shell = this.#shell;
    if (shell === null) {
      return;
    }
    const shellPid = this.#plan.shellPid(shell);
    killProcesses(() =>
      this.#processes(shell)
        .map(({ pid }) => pid)
        .filter((pid) => kill.shell || pid !== shellPid),
    );
  }
}

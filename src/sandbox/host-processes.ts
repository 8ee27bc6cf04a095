import { systemClock } from '../clock.js';
import { messageOf, TalariaError } from '../errors.js';
import { commandOfName, processesOfCommand } from './command-processes.js';
import type { ControlGroup } from './control-group.js';
import { killProcesses } from './kill-processes.js';
import { type ProcessEntry, type Sighting, ticksPerSecond, uptimeTicks } from './process-table.js';
import type { OpenedShell, ShellBackend } from './shell-backend.js';
import type { SpawnedShell } from './spawn-shell.js';
import type { StateDirectory } from './state-directory.js';

/** What makes the processes of one kind differ from those of another. */
export interface HostProcessesPlan {
  /** The dispatcher's directory, as the host sees it. */
  readonly state: StateDirectory;
  readonly executionId: (number: number) => string;
  readonly spawn: () => SpawnedShell;
  /** A search, to be repeated, for every process of the sandbox: its shell and, if it is a plain process, its launcher. */
  readonly search: (shell: SpawnedShell) => () => Iterable<Sighting>;
  /** The id of the command that a process says it is of, or null. */
  readonly executionOf: (pid: number) => string | null;
  /** Their control group, which goes with them; null where they have none. */
  readonly group: ControlGroup | null;
  /** Whether no process outlives the shell: the kernel sees to it in a process id namespace. */
  readonly shellHoldsAll: boolean;
}

/** Two ticks: the clock of process starts is that coarse. */
const marginTicks = 2;
const endMs = 15_000;

/** Processes of this host: those of bubblewrap's sandboxes and of local ones. */
export class HostProcesses implements ShellBackend {
  readonly #plan: HostProcessesPlan;
  #shell: SpawnedShell | null = null;
  #outOfMemory = 0;
  #reason: string | null = null;

  constructor(plan: HostProcessesPlan) {
    this.#plan = plan;
  }

  async open(stored: readonly string[]): Promise<OpenedShell> {
    if (this.#reason !== null) {
      throw new TalariaError({
        code: 'sandbox_unavailable',
        message: `The sandbox cannot be used: ${this.#reason}.`,
      });
    }
    await this.endShell();
    let kept: readonly string[];
    try {
      kept = this.#plan.state.renew(stored);
    } catch (thrown) {
      throw new TalariaError({
        code: 'sandbox_unavailable',
        message: `The directory of the sandbox's shell cannot be made: ${messageOf(thrown)}.`,
        cause: thrown,
      });
    }
    this.#shell = this.#plan.spawn();
    return { transport: this.#shell, kept };
  }

  async killCommand(executionId: string, elapsedMs: number): Promise<void> {
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

  async endShell(): Promise<void> {
    if (this.#shell !== null) {
      await this.#end(this.#shell);
    }
  }

  async killAll(reopen: () => Promise<void>): Promise<void> {
    if (!this.#plan.shellHoldsAll) {
      // Passes once what was stopped has ended.
      await reopen();
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

  /** Ends the sandbox for good: what runs and what comes rejects with this reason. */
  giveUp(reason: string): void {
    this.#reason ??= reason;
    this.#shell?.destroy();
  }

  async whyEnded(): Promise<string | null> {
    return this.#reason;
  }

  async close(): Promise<void> {
    try {
      await this.#endAll();
    } finally {
      await this.#plan.group?.remove();
    }
  }

  async ranOutOfMemory(): Promise<boolean> {
    const before = this.#outOfMemory;
    this.#outOfMemory = this.#plan.group?.outOfMemoryCount() ?? 0;
    return this.#outOfMemory > before;
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

  #executionOf({ pid, name }: ProcessEntry): string | null {
    const number = commandOfName(name);
    return this.#plan.executionOf(pid) ?? (number === null ? null : this.#plan.executionId(number));
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

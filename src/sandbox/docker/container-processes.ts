import { randomBytes } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import type { Container } from 'dockerode';
import { systemClock } from '../../clock.js';
import { TalariaError } from '../../errors.js';
import { processesOfCommand } from '../command-processes.js';
import { controlScript } from '../control-script.js';
import { ControlShell } from '../control-shell.js';
import { remoteDispatcherScript, remoteLaneScript } from '../remote-shell-script.js';
import type { OpenedShell, ShellBackend } from '../shell-backend.js';
import { dispatcherEnvironment } from '../shell-dispatcher.js';
import type { ShellTransport } from '../shell-transport.js';
import { containerState } from './container-plan.js';
import { engineFailure, engineMessage, statusOf } from './engine.js';
import { execStream } from './exec-stream.js';
import { splitStreams } from './multiplexed-stream.js';

export interface ContainerProcessesOptions {
  readonly container: Container;
  /** Whom commands run as. */
  readonly user: string;
  /** Whom the control script runs as: somebody who may signal every process of the agent's. */
  readonly controlUser: string;
  /** Where the dispatcher finds its programs. */
  readonly path: string;
  /** Ends the container: nothing of it runs any more afterwards. */
  readonly remove: () => Promise<void>;
}

interface OpenShell {
  readonly transport: ShellTransport;
  readonly pid: number;
  readonly endStreams: () => void;
}

/** Two ticks: the clock of process starts is that coarse. */
const marginTicks = 2;
const ticksPerSecond = 100;
const endMs = 15_000;
const everybody = [-1];

/** The processes of one container, reached by three exec streams: the dispatcher, its second lane, and the control script. */
export class ContainerProcesses implements ShellBackend {
  readonly #options: ContainerProcessesOptions;
  #shell: OpenShell | null = null;
  #control: Promise<ControlShell> | null = null;
  #outOfMemory = 0;
  #reason: string | null = null;
  #wasOpen = false;

  constructor(options: ContainerProcessesOptions) {
    this.#options = options;
  }

  async open(stored: readonly string[]): Promise<OpenedShell> {
    await this.endShell();
    try {
      if (this.#wasOpen) {
        // Whatever ended the shell before, a fork bomb above all, would end this one too. As in a namespace that ends.
        await this.#killEverybody();
      }
      this.#wasOpen = true;
      this.#shell = await this.#start().catch((thrown: unknown) => this.#startAgain(thrown));
      return { transport: this.#shell.transport, kept: stored };
    } catch (thrown) {
      throw await this.#failure(thrown);
    }
  }

  async #start(): Promise<OpenShell> {
    const { path, user } = this.#options;
    const variables = {
      ...dispatcherEnvironment({ stateDirectory: containerState, path }),
      TALARIA_GENERATION: randomBytes(4).toString('hex'),
    };
    const streams = await Promise.all([
      this.#exec(remoteDispatcherScript, variables, user),
      this.#exec(remoteLaneScript, { ...variables, PATH: path }, user),
      this.#controlShell(),
    ]);
    const [main, lane] = streams;
    const endStreams = () => {
      main.destroy();
      lane.destroy();
    };
    const lanes = [splitStreams(main), splitStreams(lane)] as const;
    const pid = await readProcessId(lanes[0].stdout, lanes[0].stderr).catch((thrown: unknown) => {
      endStreams();
      throw thrown;
    });
    const gone = new Promise<void>((resolve) => {
      for (const stream of [main, lane]) {
        stream.once('end', resolve);
        stream.once('close', resolve);
        stream.on('error', () => resolve());
      }
    });
    const transport: ShellTransport = {
      input: main,
      lanes,
      gone: gone.then(() => this.#whyGone()),
      retired: false,
      destroy: () => {
        void this.#killShell(pid).then(endStreams, endStreams);
      },
    };
    return { transport, pid, endStreams };
  }

  /** What the agent left running may leave no process for a new shell; then it has to go. */
  async #startAgain(thrown: unknown): Promise<OpenShell> {
    if ((await this.whyEnded()) !== null || !(await this.#killEverybody())) {
      throw thrown;
    }
    return this.#start();
  }

  async killCommand(executionId: string, elapsedMs: number): Promise<void> {
    const shell = this.#shell;
    const control = await this.#controlShell().catch(() => null);
    if (shell === null || control === null) {
      return;
    }
    // One step for all: nobody can fork any more while the others are looked at. It hides who was stopped before, and goes
    // on afterwards; to look first would take seconds while a bomb has the processors.
    if (!(await control.signal('STOP', everybody))) {
      return;
    }
    const now = await control.list();
    if (now === null) {
      return;
    }
    const victims = processesOfCommand(now.processes, {
      executionId,
      shell: shell.pid,
      sinceTicks: now.uptimeTicks - (elapsedMs / 1_000) * ticksPerSecond - marginTicks,
    }).filter((pid) => pid !== now.self && pid !== 1);
    await control.signal('KILL', victims);
    await control.signal('CONT', everybody);
  }

  async endShell(): Promise<void> {
    const shell = this.#shell;
    if (shell === null) {
      return;
    }
    this.#shell = null;
    shell.transport.destroy();
    const timer = new AbortController();
    await Promise.race([shell.transport.gone, systemClock.sleep(endMs, timer.signal)]);
    timer.abort();
    shell.endStreams();
  }

  async killAll(): Promise<void> {
    try {
      const control = await this.#controlShell();
      await control.signal('KILL', everybody);
    } catch (thrown) {
      throw await this.#failure(thrown);
    }
    await this.endShell();
  }

  async close(): Promise<void> {
    try {
      await this.#options.remove();
    } finally {
      this.#shell?.endStreams();
      void this.#control?.then((control) => control.close()).catch(() => {});
    }
  }

  async ranOutOfMemory(): Promise<boolean> {
    const control = await this.#controlShell().catch(() => null);
    const count = (await control?.outOfMemoryCount()) ?? this.#outOfMemory;
    const grown = count > this.#outOfMemory;
    this.#outOfMemory = count;
    return grown;
  }

  /** Ends the sandbox for good: what runs and what comes rejects with this reason. */
  giveUp(reason: string): void {
    this.#reason ??= reason;
    this.#options.container.kill({ signal: 'SIGKILL' }).catch(() => {});
  }

  async whyEnded(): Promise<string | null> {
    if (this.#reason !== null) {
      return this.#reason;
    }
    try {
      const { State: state } = await this.#options.container.inspect();
      if (state.Running && !state.Dead) {
        return null;
      }
      return state.OOMKilled
        ? 'its container ended since memory ran out'
        : `its container ended with code ${state.ExitCode}${state.Error === '' ? '' : ` (${state.Error})`}`;
    } catch (thrown) {
      return statusOf(thrown) === 404
        ? 'its container was removed by somebody else'
        : `the container engine does not answer: ${engineMessage(thrown)}`;
    }
  }

  async #whyGone(): Promise<string> {
    return (await this.whyEnded()) ?? 'its shell ended';
  }

  async #failure(thrown: unknown): Promise<TalariaError> {
    const reason = await this.whyEnded();
    return reason === null
      ? engineFailure('The processes of a container cannot be reached', thrown)
      : new TalariaError({
          code: 'sandbox_unavailable',
          message: `The sandbox cannot be used: ${reason}.`,
          cause: thrown,
        });
  }

  async #killEverybody(): Promise<boolean> {
    const control = await this.#controlShell().catch(() => null);
    return (await control?.signal('KILL', everybody)) ?? false;
  }

  async #killShell(pid: number): Promise<void> {
    const control = await this.#controlShell();
    await control.signal('KILL', [pid]);
  }

  async #controlShell(): Promise<ControlShell> {
    const known = await this.#control?.catch(() => null);
    if (known?.gone === false) {
      return known;
    }
    this.#control = this.#startControl();
    return this.#control;
  }

  async #startControl(): Promise<ControlShell> {
    const stream = await this.#exec(
      controlScript,
      { PATH: this.#options.path },
      this.#options.controlUser,
    );
    const { stdout, stderr } = splitStreams(stream);
    stderr.resume();
    return new ControlShell({ input: stream, output: stdout, close: () => stream.destroy() });
  }

  #exec(
    script: string,
    variables: { readonly [name: string]: string },
    user: string,
  ): Promise<Duplex> {
    return execStream({ container: this.#options.container, script, variables, user });
  }
}

const longestGreeting = 4_000;

/** The number in the first line, which is taken out of the stream. Rejects with what came instead of it. */
async function readProcessId(stdout: Readable, stderr: Readable): Promise<number> {
  let words = '';
  const listen = (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(0, longestGreeting);
  };
  stderr.on('data', listen);
  try {
    return await new Promise<number>((resolve, reject) => {
      let seen = Buffer.alloc(0);
      // Not by 'data': a stream that was paused to keep the rest would stay so.
      const onReadable = () => {
        seen = Buffer.concat([seen, stdout.read() ?? Buffer.alloc(0)]);
        const end = seen.indexOf('\n');
        if (end < 0 && seen.length < longestGreeting) {
          return;
        }
        const match = /^pid (\d+)$/.exec(seen.toString('latin1', 0, Math.max(end, 0)));
        if (match === null) {
          reject(new Error(seen.toString('utf8').trim()));
          return;
        }
        stdout.off('readable', onReadable);
        stdout.unshift(seen.subarray(end + 1));
        resolve(Number(match[1]));
      };
      stdout.on('readable', onReadable);
      stdout.once('end', () =>
        reject(new Error(`${seen.toString('utf8')}${words}`.trim() || 'its shell ended at once')),
      );
    });
  } finally {
    stderr.off('data', listen);
  }
}

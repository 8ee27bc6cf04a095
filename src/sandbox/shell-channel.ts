import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import { TalariaError } from '../errors.js';
import { CappedOutput } from './capped-output.js';
import { type FrameEnd, FrameReader } from './frame-reader.js';
import type { ExecResult } from './sandbox.js';
import { encodeRequest, type ShellRequest } from './shell-request.js';
import type { ShellHost, ShellTransport } from './shell-transport.js';
import type { Slots } from './slots.js';
import { TurnQueue } from './turn-queue.js';

/** Options of {@link ShellChannel}. */
export interface ShellChannelOptions {
  readonly host: ShellHost;
  /** The dispatcher's state directory, as the sandbox sees it. Needs no quoting. */
  readonly stateDirectory: string;
  readonly clock: Clock;
  /** Places for the agent's commands; without, as many as there are channels may run. */
  readonly slots?: Slots;
}

interface OpenShell {
  readonly transport: ShellTransport;
  readonly readers: readonly { readonly stdout: FrameReader; readonly stderr: FrameReader }[];
  readonly token: string;
  /** Why it is gone, once it is. */
  goneReason: string | null;
  /**
   * Called when it is gone. A set, and no promise to race against: each race would hold on to its command's output for
   * as long as the shell lives.
   */
  readonly onGone: Set<() => void>;
}

const openMs = 20_000;
/** How long a shell may take to answer once its command was killed. */
const graceMs = 5_000;

/**
 * Runs commands on one persistent shell, one after another, each in a frame of its own: see {@link shellDispatcher}.
 * A command that runs out of time or is aborted is killed with its process tree, and the shell lives on. A shell that
 * is gone is replaced where the host can do that; else every command rejects with `sandbox_unavailable`.
 */
export class ShellChannel {
  readonly #host: ShellHost;
  readonly #stateDirectory: string;
  readonly #clock: Clock;
  readonly #slots: Slots | null;
  readonly #turns = new TurnQueue();
  #shell: OpenShell | null = null;
  #opened = false;
  #closedReason: string | null = null;
  readonly #closed = new AbortController();
  #commands = 0;

  constructor({ host, stateDirectory, clock, slots }: ShellChannelOptions) {
    this.#slots = slots ?? null;
    this.#host = host;
    this.#stateDirectory = stateDirectory;
    this.#clock = clock;
  }

  /** Starts the shell, so that the first command need not wait for it. Rejects with `sandbox_unavailable`. */
  async open(): Promise<void> {
    await this.#turns.run(() => this.#ensureOpen(), []);
  }

  /** Ends the shell; what runs or waits rejects with `sandbox_unavailable` and this reason. */
  close(reason: string): void {
    this.#closedReason ??= reason;
    this.#closed.abort();
    this.#shell?.transport.destroy();
  }

  /** Rejects with `sandbox_unavailable` only. */
  async run(request: ShellRequest): Promise<ExecResult> {
    return (await this.#turns.run(() => this.#whenPlace(request), request.signals)) ?? aborted;
  }

  /** The time of a command begins with its place. What the host itself asks is short, and needs none. */
  async #whenPlace(request: ShellRequest): Promise<ExecResult> {
    if (this.#slots === null || request.mode === 'clean') {
      return this.#execute(request);
    }
    try {
      return await this.#slots.run(
        () => this.#execute(request),
        this.#closed.signal,
        ...request.signals,
      );
    } catch (thrown) {
      if (this.#closedReason !== null) {
        throw unavailable(this.#closedReason);
      }
      if (request.signals.some(({ aborted }) => aborted)) {
        return aborted;
      }
      throw thrown;
    }
  }

  async #execute(request: ShellRequest): Promise<ExecResult> {
    const shell = await this.#ensureOpen();
    if (request.signals.some((signal) => signal.aborted)) {
      return aborted;
    }
    const readers = shell.readers[request.lane] ?? shell.readers[0];
    if (readers === undefined) {
      throw unavailable('the shell has no output');
    }
    this.#commands += 1;
    const executionId = this.#host.executionId(this.#commands);
    const nonce = randomBytes(16).toString('hex');
    const started = this.#clock.monotonic();
    const stdout = new CappedOutput(request.maxOutputBytes);
    const stderr = new CappedOutput(request.maxOutputBytes);
    const frames = [readers.stdout.expect(nonce, stdout)];
    if (!request.mergeStderr) {
      frames.push(readers.stderr.expect(nonce, stderr));
    }
    let onGone = () => {};
    const ended = new Promise<readonly (FrameEnd | null)[]>((resolve) => {
      onGone = () => resolve([]);
      void Promise.all(frames).then(resolve);
    });
    shell.onGone.add(onGone);
    if (shell.goneReason !== null) {
      onGone();
    }
    const stopper = this.#watch(request, executionId, shell, ended, started);
    const frame = { token: shell.token, nonce, executionId };
    for (const chunk of encodeRequest(request, frame, this.#stateDirectory).chunks) {
      shell.transport.input.write(chunk);
    }
    const end = (await ended)[0];
    const stopped = await stopper.end();
    shell.onGone.delete(onGone);
    readers.stdout.forget();
    readers.stderr.forget();
    if (end?.saved) {
      request.state.advance();
    }
    if (end === undefined || end === null) {
      await this.#lost(shell, executionId, started, stopped);
    }
    const exitCode = stopped === null ? (end?.status ?? 137) : stopped === 'timeout' ? 124 : 130;
    return {
      exitCode,
      stdout: stdout.toBuffer(),
      stderr: stderr.toBuffer(),
      timedOut: stopped === 'timeout',
      aborted: stopped === 'abort',
      outOfMemory: exitCode !== 0 && ((await this.#host.ranOutOfMemory?.()) ?? false),
      omittedBytes: { stdout: stdout.omittedBytes, stderr: stderr.omittedBytes },
      durationMs: this.#clock.monotonic() - started,
    };
  }

  /** Kills the command on a timeout or an abort, until its frame ends or the shell is given up. */
  #watch(
    request: ShellRequest,
    executionId: string,
    shell: OpenShell,
    ended: Promise<unknown>,
    started: number,
  ): { readonly end: () => Promise<'timeout' | 'abort' | null> } {
    let stopped: 'timeout' | 'abort' | null = null;
    let killing: Promise<void> | null = null;
    let over = false;
    void ended.then(() => {
      over = true;
    });
    const kill = () => this.#host.kill(executionId, this.#clock.monotonic() - started);
    const stop = async () => {
      const deadline = this.#clock.monotonic() + graceMs;
      for (let waitMs = 10; !over; waitMs = Math.min(waitMs * 2, 200)) {
        await kill();
        if (this.#clock.monotonic() > deadline) {
          shell.transport.destroy();
          return;
        }
        await Promise.race([ended, this.#clock.sleep(waitMs)]);
      }
      await kill();
    };
    const begin = (reason: 'timeout' | 'abort') => {
      if (stopped === null && !over) {
        stopped = reason;
        killing = stop();
      }
    };
    const cancelTimer = this.#clock.after(request.timeoutMs, () => begin('timeout'));
    const onAbort = () => begin('abort');
    for (const signal of request.signals) {
      signal.addEventListener('abort', onAbort, { once: true });
    }
    return {
      end: async () => {
        cancelTimer();
        for (const signal of request.signals) {
          signal.removeEventListener('abort', onAbort);
        }
        await killing;
        return stopped;
      },
    };
  }

  /** The shell ended, or its frame was damaged, before the command did. */
  async #lost(
    shell: OpenShell,
    executionId: string,
    started: number,
    stopped: 'timeout' | 'abort' | null,
  ): Promise<void> {
    shell.transport.destroy();
    this.#shell = null;
    if (this.#closedReason !== null) {
      throw unavailable(this.#closedReason);
    }
    const reason = (await this.#host.whyEnded?.()) ?? null;
    if (reason !== null) {
      throw unavailable(reason);
    }
    if (this.#host.reopens) {
      await this.#host.kill(executionId, this.#clock.monotonic() - started);
    } else if (stopped === null) {
      throw unavailable(shell.goneReason ?? 'its shell sent a damaged reply');
    }
  }

  async #ensureOpen(): Promise<OpenShell> {
    if (this.#closedReason !== null) {
      throw unavailable(this.#closedReason);
    }
    if (this.#shell?.goneReason === null && !this.#shell.transport.retired) {
      return this.#shell;
    }
    this.#shell?.transport.destroy();
    if (this.#opened && !this.#host.reopens) {
      throw unavailable(this.#shell?.goneReason ?? 'its shell ended');
    }
    this.#shell = null;
    const transport = await this.#host.open();
    const shell: OpenShell = {
      transport,
      readers: transport.lanes.map(({ stdout, stderr }) => ({
        stdout: new FrameReader(stdout),
        stderr: new FrameReader(stderr),
      })),
      token: randomBytes(16).toString('hex'),
      goneReason: null,
      onGone: new Set(),
    };
    transport.input.on('error', () => {});
    for (const stream of transport.lanes.flatMap(({ stdout, stderr }) => [stdout, stderr])) {
      // Its end says that the shell is gone, or that a command shut it: then no reply would ever come.
      stream.once('end', () => transport.destroy());
    }
    void transport.gone.then((reason) => {
      shell.goneReason = reason;
      for (const callback of shell.onGone) {
        callback();
      }
    });
    await this.#greet(shell);
    this.#shell = shell;
    this.#opened = true;
    if (this.#closedReason !== null) {
      transport.destroy();
      throw unavailable(this.#closedReason);
    }
    return shell;
  }

  async #greet(shell: OpenShell): Promise<void> {
    const { transport, readers, token } = shell;
    const sink = new CappedOutput(0);
    const hello = readers[0]?.stdout.expect(token, sink);
    void readers[0]?.stderr.expect(token, sink);
    transport.input.write(`\nhello ${token}\n`);
    const timer = new AbortController();
    const answer = await Promise.race([
      hello,
      transport.gone,
      this.#clock.sleep(openMs, timer.signal).then(() => `no answer within ${openMs / 1000} s`),
    ]);
    timer.abort();
    if (typeof answer === 'string' || answer === null || answer === undefined) {
      transport.destroy();
      throw unavailable(answer ?? 'its shell sent a damaged reply');
    }
  }
}

/** Why a sandbox cannot be used (any more). */
function unavailable(reason: string): TalariaError {
  return new TalariaError({
    code: 'sandbox_unavailable',
    message: `The sandbox cannot be used: ${reason}.`,
  });
}

const aborted: ExecResult = {
  exitCode: 130,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  timedOut: false,
  aborted: true,
  outOfMemory: false,
  omittedBytes: { stdout: 0, stderr: 0 },
  durationMs: 0,
};

import { setMaxListeners } from 'node:events';
import { posix } from 'node:path';
import { TalariaError, usageError } from '../errors.js';
import type { ExecOptions, ExecResult, SandboxSession } from './sandbox.js';
import type { ShellChannel } from './shell-channel.js';
import {
  enterText,
  overlayPrelude,
  type ShellStart,
  shellPath,
  startPrelude,
} from './shell-prelude.js';
import { ShellState } from './shell-request.js';

/** Options of {@link ShellSession}. */
export interface ShellSessionOptions {
  /** File name of its state, unique in the channel's state directory. */
  readonly name: string;
  readonly home: string;
  readonly scratch: string;
  /** Limit of a command that is given none. */
  readonly commandTimeoutMs: number;
  readonly start: ShellStart;
  /** Where commands run. */
  readonly commands: ShellLaneRef;
  /** Where the session reads and writes files; apart from `commands`, so that no background job writes into it. */
  readonly files: ShellLaneRef;
}

export interface ShellLaneRef {
  readonly channel: ShellChannel;
  readonly lane: number;
}

const defaultOutputBytes = 1_000_000;
const fileTimeoutMs = 120_000;
const mendTimeoutMs = 10_000;
/** Without `maxBytes` a larger file is an error and not a memory problem of the host. */
const largestFileBytes = 256 * 1024 * 1024;

/** Exit codes of the script that reads a file. */
const notAFile = { directory: 81, special: 82, missing: 83 } as const;

/** A {@link SandboxSession} over a {@link ShellChannel}. File errors are TalariaErrors with code `usage`. */
export class ShellSession implements SandboxSession {
  readonly home: string;
  readonly scratch: string;
  readonly #options: ShellSessionOptions;
  readonly #state: ShellState;
  #stop = newStop();

  constructor(options: ShellSessionOptions) {
    this.home = options.home;
    this.scratch = options.scratch;
    this.#options = options;
    this.#state = new ShellState(options.name);
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    if (command.includes('\0')) {
      return Promise.resolve(refused('sh: a command cannot hold a NUL byte\n', options));
    }
    const { channel, lane } = this.#options.commands;
    const overlay = overlayPrelude(options);
    return channel.run({
      lane,
      state: this.#state,
      mode: 'session',
      prelude: (current) => this.#prelude(current, overlay),
      command,
      stdin: options.stdin === undefined ? null : Buffer.from(options.stdin),
      mergeStderr: options.mergeStderr ?? false,
      maxOutputBytes: options.maxOutputBytes ?? defaultOutputBytes,
      timeoutMs: options.timeoutMs ?? this.#options.commandTimeoutMs,
      signals: options.signal ? [this.#stop.signal, options.signal] : [this.#stop.signal],
    });
  }

  async read(path: string, options: { readonly maxBytes?: number } = {}): Promise<Buffer | null> {
    const file = shellPath(path);
    const limit = options.maxBytes ?? largestFileBytes + 1;
    const result = await this.#run(
      [
        `if [ -d ${file} ]; then exit ${notAFile.directory}; fi`,
        `if [ -f ${file} ]; then exec head -c ${limit} <${file}; fi`,
        `if [ -e ${file} ]; then exit ${notAFile.special}; fi`,
        `exit ${notAFile.missing}`,
      ].join('\n'),
      null,
      limit,
    );
    switch (result.exitCode) {
      case 0:
        break;
      case notAFile.missing:
        return null;
      case notAFile.directory:
        throw usageError(`Cannot read ${path}: it is a directory.`);
      case notAFile.special:
        throw usageError(`Cannot read ${path}: it is not a regular file.`);
      default:
        throw usageError(`Cannot read ${path}: ${reasonOf(result)}.`);
    }
    if (options.maxBytes === undefined && result.stdout.length > largestFileBytes) {
      throw usageError(
        `Cannot read ${path}: it is larger than ${largestFileBytes} bytes. Pass maxBytes to read its beginning.`,
      );
    }
    return result.stdout;
  }

  async write(
    path: string,
    data: string | Uint8Array,
    options: { readonly mode?: number } = {},
  ): Promise<void> {
    const file = shellPath(path);
    const bytes = Buffer.from(data);
    const mode = options.mode === undefined ? '' : (options.mode & 0o7777).toString(8);
    const result = await this.#run(
      [
        'set -e',
        `mkdir -p -- ${shellPath(posix.dirname(path))}`,
        `cat >${file}`,
        `wc -c <${file}`,
        // Last, since it may forbid even its owner to read.
        mode === '' ? '' : `chmod ${mode} ${file}`,
      ].join('\n'),
      bytes,
      1_000,
    );
    if (result.exitCode !== 0) {
      throw usageError(`Cannot write ${path}: ${reasonOf(result)}.`);
    }
    const written = Number(result.stdout.toString('latin1').trim());
    if (written !== bytes.length) {
      throw usageError(
        `Cannot write ${path}: ${written} bytes are there after ${bytes.length} were written.`,
      );
    }
  }

  /** Aborts what runs and what waits. The session can be used again. */
  stop(): void {
    this.#stop.abort();
    this.#stop = newStop();
  }

  /** File of the state that the last command left, or null before the first. */
  get stateFile(): string | null {
    return this.#state.current;
  }

  /** Begins anew: the file of the state is gone. */
  forgetState(): void {
    this.#state.forget();
  }

  /**
   * Puts the shell's directory for its files in order, and tells whether the shell takes input and runs commands.
   * Never rejects.
   */
  async mend(stateDirectory: string): Promise<boolean> {
    const probe = 'ready';
    try {
      const mended = await this.#run(
        `cd ${stateDirectory} && chmod 700 . input && find . -mindepth 1 -maxdepth 1 ! -name input ! -name 'agent.*' -exec rm -rf {} + && rm -rf input/*`,
        null,
        1_000,
        { directory: '/', timeoutMs: mendTimeoutMs },
      );
      const answer = await this.#run('cat', Buffer.from(probe), 1_000, {
        directory: '/',
        timeoutMs: mendTimeoutMs,
      });
      const stored = await this.exec('true', { timeoutMs: mendTimeoutMs });
      return (
        mended.exitCode === 0 &&
        answer.stdout.toString('latin1') === probe &&
        stored.exitCode === 0 &&
        this.stateFile !== null
      );
    } catch {
      return false;
    }
  }

  /** Makes a directory and its parents. Rejects with `sandbox_unavailable` when that is not possible. */
  async makeDirectory(path: string): Promise<void> {
    const result = await this.#run(`mkdir -p -- ${shellPath(path)}`, null, 1_000, {
      directory: '/',
    });
    if (result.exitCode !== 0) {
      throw new TalariaError({
        code: 'sandbox_unavailable',
        message: `The sandbox's directory ${path} cannot be made: ${reasonOf(result)}.`,
      });
    }
  }

  /** What the host itself asks: in the session's directory, but with none of its variables. */
  #run(
    command: string,
    stdin: Uint8Array | null,
    maxOutputBytes: number,
    { directory, timeoutMs = fileTimeoutMs }: { directory?: string; timeoutMs?: number } = {},
  ): Promise<ExecResult> {
    const { channel, lane } = this.#options.files;
    return channel.run({
      lane,
      state: this.#state,
      mode: 'clean',
      prelude: (current) =>
        directory !== undefined || current === null
          ? enterText(directory ?? this.#options.start.directory)
          : '',
      command,
      stdin,
      mergeStderr: false,
      maxOutputBytes,
      timeoutMs,
      signals: [],
    });
  }

  #prelude(current: string | null, overlay: string): string {
    const begin = current === null ? startPrelude(this.#options.start) : '';
    return [begin, overlay].filter((part) => part !== '').join('\n');
  }
}

/** Every command that runs or waits listens to it. */
function newStop(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

function reasonOf(result: ExecResult): string {
  if (result.timedOut) {
    return 'it took too long';
  }
  const lines = result.stderr.toString('utf8').trim().split('\n');
  const last = (lines.at(-1) ?? '').replace(
    /^\S*(sh|dash|bash|ash): (\d+: |line \d+: )?(eval: )?/,
    '',
  );
  return last === '' ? `exit code ${result.exitCode}` : last;
}

function refused(message: string, { mergeStderr = false }: ExecOptions): ExecResult {
  return {
    exitCode: 2,
    stdout: Buffer.from(mergeStderr ? message : ''),
    stderr: Buffer.from(mergeStderr ? '' : message),
    timedOut: false,
    aborted: false,
    outOfMemory: false,
    omittedBytes: { stdout: 0, stderr: 0 },
    durationMs: 0,
  };
}

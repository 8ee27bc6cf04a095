import { posix } from 'node:path';
import { usageError } from '../src/errors.js';
import type {
  ExecOptions,
  ExecResult,
  Sandbox,
  SandboxSession,
  VerifyMode,
} from '../src/sandbox/sandbox.js';

/** What a command gives: its output, or only what differs from "exit code 0 and no output". */
export type FakeExec =
  | string
  | (Partial<Omit<ExecResult, 'stdout' | 'stderr'>> & {
      readonly stdout?: string | Uint8Array;
      readonly stderr?: string | Uint8Array;
    });

/** Answers a command; undefined lets the next rule try. May throw, for a sandbox that is gone. */
export type FakeExecRule = (
  command: string,
  options: ExecOptions,
  sandbox: FakeSandbox,
) => FakeExec | undefined | Promise<FakeExec | undefined>;

/** Options of {@link FakeSandbox}. */
export interface FakeSandboxOptions {
  /** Files that are there at the start. Paths are absolute, or relative to `home`. */
  readonly files?: { readonly [path: string]: string | Uint8Array };
  /** Results by exact command text, or a rule for all. Without an answer, a command ends with code 127. */
  readonly exec?: { readonly [command: string]: FakeExec } | FakeExecRule;
  /** @default '/work' */
  readonly home?: string;
}

/**
 * A sandbox in memory for tests of tools and rewards: files are a map, commands answer from a script, and every
 * command is recorded. No shell runs.
 */
export class FakeSandbox implements Sandbox {
  readonly kind = 'fake';
  readonly exposes = null;
  readonly limits = {};
  /** Contents by absolute path. */
  readonly files = new Map<string, Buffer>();
  /** Permission bits of files that were written with a mode. */
  readonly modes = new Map<string, number>();
  /** Every command, in order, with its options. */
  readonly commands: { readonly command: string; readonly options: ExecOptions }[] = [];
  /** Modes of the verifiers that were asked for. */
  readonly verifiers: VerifyMode[] = [];
  closed = false;
  readonly session: SandboxSession;
  readonly #options: FakeSandboxOptions;
  readonly #home: string;

  constructor(options: FakeSandboxOptions = {}) {
    this.#options = options;
    this.#home = options.home ?? '/work';
    for (const [path, data] of Object.entries(options.files ?? {})) {
      this.files.set(this.#absolute(path), Buffer.from(data));
    }
    this.session = {
      home: this.#home,
      exec: (command, execOptions) => this.#exec(command, execOptions ?? {}),
      read: async (path, readOptions) => this.#read(path, readOptions?.maxBytes),
      write: async (path, data, writeOptions) => {
        const file = this.#absolute(path);
        if (this.#isDirectory(file)) {
          throw usageError(`Cannot write ${path}: it is a directory.`);
        }
        this.files.set(file, Buffer.from(data));
        if (writeOptions?.mode !== undefined) {
          this.modes.set(file, writeOptions.mode);
        }
      },
    };
  }

  /** `same` is this one, `snapshot` one with a copy of the files, `fresh` one with the files of the start. */
  async verifier(mode: VerifyMode): Promise<Sandbox> {
    this.verifiers.push(mode);
    if (mode === 'same') {
      return this;
    }
    return new FakeSandbox(
      mode === 'fresh'
        ? this.#options
        : { ...this.#options, files: Object.fromEntries(this.files) },
    );
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  async #exec(command: string, options: ExecOptions): Promise<ExecResult> {
    this.commands.push({ command, options });
    if (options.signal?.aborted) {
      return result({ exitCode: 130, aborted: true });
    }
    const script = this.#options.exec ?? {};
    const answer =
      typeof script === 'function'
        ? await script(command, options, this)
        : Object.hasOwn(script, command)
          ? script[command]
          : undefined;
    return result(
      answer ?? { exitCode: 127, stderr: `the fake sandbox has no answer to: ${command}\n` },
    );
  }

  #read(path: string, maxBytes: number | undefined): Buffer | null {
    const file = this.#absolute(path);
    if (this.#isDirectory(file)) {
      throw usageError(`Cannot read ${path}: it is a directory.`);
    }
    const data = this.files.get(file);
    return data === undefined ? null : Buffer.from(data.subarray(0, maxBytes));
  }

  #absolute(path: string): string {
    return posix.resolve(this.#home, path);
  }

  #isDirectory(path: string): boolean {
    const prefix = path === '/' ? '/' : `${path}/`;
    return path === this.#home || [...this.files.keys()].some((file) => file.startsWith(prefix));
  }
}

function result(answer: FakeExec): ExecResult {
  const { stdout, stderr, ...rest } = typeof answer === 'string' ? { stdout: answer } : answer;
  return {
    exitCode: 0,
    timedOut: false,
    aborted: false,
    outOfMemory: false,
    omittedBytes: { stdout: 0, stderr: 0 },
    durationMs: 0,
    ...rest,
    stdout: Buffer.from(stdout ?? ''),
    stderr: Buffer.from(stderr ?? ''),
  };
}

import type { ExecOptions, ExecResult, SandboxSession } from '../../../../src/sandbox/sandbox.js';

type Answer =
  | Partial<ExecResult>
  | ((command: string, options: ExecOptions) => Partial<ExecResult>);

/** Files in a map, and one answer for all commands. */
export class MemorySession implements SandboxSession {
  readonly home = '/work';
  readonly files = new Map<string, Buffer>();
  readonly commands: { readonly command: string; readonly options: ExecOptions }[] = [];
  readonly #answer: Answer;

  constructor(answer: Answer = {}) {
    this.#answer = answer;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    this.commands.push({ command, options });
    const { stdout, ...given } =
      typeof this.#answer === 'function' ? this.#answer(command, options) : this.#answer;
    return {
      exitCode: 0,
      stdout: stdout ?? Buffer.alloc(0),
      stderr: Buffer.alloc(0),
      timedOut: false,
      aborted: false,
      outOfMemory: false,
      omittedBytes: { stdout: 0, stderr: 0 },
      durationMs: 1,
      ...given,
    };
  }

  async read(path: string, options: { readonly maxBytes?: number } = {}): Promise<Buffer | null> {
    return this.files.get(path)?.subarray(0, options.maxBytes) ?? null;
  }

  async write(path: string, data: string | Uint8Array): Promise<void> {
    this.files.set(path, Buffer.from(data));
  }
}

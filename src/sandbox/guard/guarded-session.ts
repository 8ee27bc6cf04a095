import { posix } from 'node:path';
import { usageError } from '../../errors.js';
import type { ExecOptions, ExecResult, ExposedHost, SandboxSession } from '../sandbox.js';
import { guardCommand } from './guard-command.js';
import { isProtectedFile } from './guarded-path.js';

/** Exit code of "found, and not allowed to run", as shells give it. */
const notAllowed = 126;

/**
 * A session for an agent whose commands run on a machine that is not its own: what must not run there is answered as a
 * command that failed, with the reason, and counted.
 */
export class GuardedSession implements SandboxSession {
  readonly home: string;
  readonly #inner: SandboxSession;
  readonly #host: ExposedHost;
  #blocked = 0;

  constructor(inner: SandboxSession, host: ExposedHost) {
    this.home = inner.home;
    this.#inner = inner;
    this.#host = host;
  }

  /** Commands and writes that were refused. */
  get blocked(): number {
    return this.#blocked;
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const reason = guardCommand(command, this.#host);
    if (reason === null) {
      return this.#inner.exec(command, options);
    }
    this.#blocked += 1;
    return Promise.resolve(refused(reason, options));
  }

  read(path: string, options?: { readonly maxBytes?: number }): Promise<Buffer | null> {
    return this.#inner.read(path, options);
  }

  /** A link may lead to what is protected: the file that it leads to counts. */
  async write(
    path: string,
    data: string | Uint8Array,
    options?: { readonly mode?: number },
  ): Promise<void> {
    const { stdout } = await this.#inner.exec('pwd; readlink -f -- "$TALARIA_PATH"', {
      env: { TALARIA_PATH: path },
      maxOutputBytes: 16_384,
    });
    const [directory = '/', target = ''] = stdout.toString('utf8').split('\n');
    const named = posix.resolve(directory, path);
    if ([named, target].some((one) => isProtectedFile(one, this.#host))) {
      this.#blocked += 1;
      throw usageError(
        `Cannot write ${path}: it is not the task's own, and this sandbox isolates nothing.`,
      );
    }
    await this.#inner.write(path, data, options);
  }
}

function refused(reason: string, { mergeStderr = false }: ExecOptions): ExecResult {
  const message = Buffer.from(
    `This command was not run: ${reason}. The sandbox isolates nothing, so such commands are refused. Find another way.\n`,
  );
  return {
    exitCode: notAllowed,
    stdout: mergeStderr ? message : Buffer.alloc(0),
    stderr: mergeStderr ? Buffer.alloc(0) : message,
    timedOut: false,
    aborted: false,
    outOfMemory: false,
    omittedBytes: { stdout: 0, stderr: 0 },
    durationMs: 0,
    blocked: reason,
  };
}

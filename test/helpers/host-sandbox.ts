import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type {
  ExecOptions,
  ExecResult,
  Sandbox,
  SandboxProvider,
  SandboxSession,
  SandboxSpec,
  VerifyMode,
} from '../../src/sandbox/sandbox.js';

/**
 * A sandbox provider for tests: a real `sh` in a temporary folder of the host. It isolates nothing and keeps no shell state
 * between commands; a relative cwd is a folder below its home. Counts what is open, so that tests can tell that everything was closed.
 */
export class HostSandboxProvider implements SandboxProvider {
  readonly kind = 'host';
  readonly description = 'a folder of the host, for tests';
  readonly open = new Set<string>();
  readonly specs: SandboxSpec[] = [];
  readonly verified: VerifyMode[] = [];

  async probe() {
    return { ok: true, version: '1' } as const;
  }

  async sweep(): Promise<number> {
    return 0;
  }

  async create(spec: SandboxSpec): Promise<Sandbox> {
    this.specs.push(spec);
    return await this.#make(spec.cwd, null);
  }

  async #make(cwd: string | null, from: string | null, shared = false): Promise<Sandbox> {
    const home = shared && from !== null ? from : await mkdtemp(join(tmpdir(), 'talaria-host-'));
    const id = `${home}#${this.open.size}#${Math.random()}`;
    this.open.add(id);
    if (from !== null && !shared) {
      await cp(from, home, { recursive: true });
    }
    const start = resolve(home, cwd ?? '.');
    await mkdir(start, { recursive: true });
    return {
      exposes: null,
      kind: 'host',
      session: hostSession(home, start),
      limits: {},
      verifier: async (mode) => {
        this.verified.push(mode);
        return await this.#make(cwd, mode === 'fresh' ? null : home, mode === 'same');
      },
      close: async () => {
        this.open.delete(id);
        if (!shared) {
          await rm(home, { recursive: true, force: true });
        }
      },
    };
  }
}

function hostSession(home: string, start: string): SandboxSession {
  return {
    home,
    exec: (command, options) => run(command, start, options ?? {}),
    read: async (path) => await readFile(resolve(start, path)).catch(() => null),
    write: async (path, data, options) => {
      await mkdir(dirname(resolve(start, path)), { recursive: true });
      await writeFile(resolve(start, path), data, { mode: options?.mode ?? 0o644 });
    },
  };
}

function run(command: string, start: string, options: ExecOptions): Promise<ExecResult> {
  return new Promise((done, fail) => {
    const shell = options.mergeStderr === true ? `exec 2>&1\n${command}` : command;
    const child = spawn('sh', ['-c', shell], {
      cwd: options.cwd ?? start,
      env: { PATH: process.env['PATH'] ?? '', ...options.env },
      detached: true,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let timedOut = false;
    let aborted = false;
    const kill = () => {
      if (child.pid !== undefined) {
        process.kill(-child.pid, 'SIGKILL');
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, options.timeoutMs ?? 180_000);
    const onAbort = () => {
      aborted = true;
      kill();
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk) => stdout.push(chunk));
    child.stderr.on('data', (chunk) => stderr.push(chunk));
    child.on('error', fail);
    child.on('close', (code) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      done({
        exitCode: timedOut ? 124 : aborted ? 130 : (code ?? 137),
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr),
        timedOut,
        aborted,
        outOfMemory: false,
        omittedBytes: { stdout: 0, stderr: 0 },
        durationMs: 0,
      });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.stdin ?? '');
  });
}

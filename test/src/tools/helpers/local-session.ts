import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ExecOptions, ExecResult, SandboxSession } from '../../../../src/sandbox/sandbox.js';

/** A temporary folder and a real `sh`, without the isolation and the memory of a sandbox. Gone when the test ends. */
export class LocalSession implements SandboxSession {
  readonly home: string;
  readonly #path: string;

  /** `path`: what PATH is for the commands. */
  constructor(path: string = process.env['PATH'] ?? '') {
    this.home = mkdtempSync(join(tmpdir(), 'talaria-tools-'));
    this.#path = path;
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
  }

  put(path: string, content: string | Uint8Array): void {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  get(path: string): string {
    return readFileSync(join(this.home, path), 'utf8');
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const started = performance.now();
    return new Promise((settle, reject) => {
      const child = spawn('sh', ['-c', options.mergeStderr ? `exec 2>&1\n${command}` : command], {
        cwd: resolve(this.home, options.cwd ?? '.'),
        env: { PATH: this.#path, HOME: this.home, ...options.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
      child.on('error', reject);
      child.on('close', (code) =>
        settle({
          exitCode: code ?? 1,
          stdout: Buffer.concat(stdout),
          stderr: Buffer.concat(stderr),
          timedOut: false,
          aborted: false,
          outOfMemory: false,
          omittedBytes: { stdout: 0, stderr: 0 },
          durationMs: performance.now() - started,
        }),
      );
    });
  }

  async read(path: string, options: { readonly maxBytes?: number } = {}): Promise<Buffer | null> {
    const file = resolve(this.home, path);
    if (statSync(file, { throwIfNoEntry: false }) === undefined) {
      return null;
    }
    return readFileSync(file).subarray(0, options.maxBytes);
  }

  async write(path: string, data: string | Uint8Array): Promise<void> {
    const file = resolve(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
}

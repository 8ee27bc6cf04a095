import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { messageOf, TalariaError } from '../errors.js';
import { inheritedDescriptors } from './inherited-descriptors.js';
import { readProcess } from './process-table.js';
import type { ShellTransport } from './shell-transport.js';

/** How to start a process that runs the dispatcher. */
export interface SpawnShellOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
  /** What fd 6 gives to read. @default no such fd */
  readonly sixth?: Uint8Array | null;
  /**
   * Gets the process id that was written to fd 5, before the process runs anything: it waits until fd 7 gives something to
   * read. When this throws, it is never let go. @default no such fd
   */
  readonly admit?: ((pid: number) => void) | null;
  /** User and group to run as. @default this process's */
  readonly uid?: number | undefined;
  /** Kills the shell; gets the process id that it, or its launcher, wrote to fd 5. */
  readonly destroy: (shellPid: number | null, launcher: ChildProcess) => void;
  /** Whether the shell can outlive its launcher: then it is told as gone when it is, and retired before. */
  readonly outlivesLauncher: boolean;
}

/** A dispatcher in a child process. */
export interface SpawnedShell extends ShellTransport {
  /** Null when it was never started, or is gone. */
  readonly launcherPid: number | null;
  /** Process id of the dispatcher on the host, once it was told; null again when it is gone. */
  readonly shellPid: number | null;
}

const messageBytes = 2_000;
const lastWordsMs = 100;
const aliveCheckMs = 100;

/**
 * Starts a dispatcher with two lanes: fds 0 to 2, and 3 and 4 for the agent. Detached, so that a Ctrl-C on the
 * terminal does not reach it.
 */
export function spawnShell(options: SpawnShellOptions): SpawnedShell {
  const child = start(options);
  const [input, stdout, stderr, agentStdout, agentStderr, info, sixth, gate] =
    child.stdio as unknown as [
      Writable,
      Readable,
      Readable,
      Readable,
      Readable,
      Readable,
      Writable | null | undefined,
      Writable | null | undefined,
    ];
  const streams = [
    input,
    stdout,
    stderr,
    agentStdout,
    agentStderr,
    info,
    ...(sixth ? [sixth] : []),
    ...(gate ? [gate] : []),
  ];
  for (const stream of streams) {
    stream.on('error', () => {});
  }
  sixth?.end(options.sixth);
  const letGo = (pid: number) => {
    try {
      options.admit?.(pid);
      gate?.end('.');
    } catch {
      options.destroy(pid, child);
    }
  };
  let shellPid: number | null = null;
  let announced = '';
  info.on('data', (chunk: Buffer) => {
    announced += chunk.toString('latin1');
    // A number with something behind it: what has arrived may end within its digits.
    const match = /(\d+)\D/.exec(announced);
    if (match !== null) {
      shellPid = Number(match[1]);
      letGo(shellPid);
      info.removeAllListeners('data').resume();
    }
  });
  let lastWords = '';
  const listen = (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString('utf8')).slice(0, messageBytes);
  };
  stderr.on('data', listen);
  stdout.once('data', () => {
    stderr.off('data', listen);
    lastWords = '';
  });
  let retired = false;
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error) =>
      resolve(`${options.command} cannot be started: ${error.message}`),
    );
    child.once('exit', (code, signal) => {
      const tell = () => {
        const how = signal === null ? `with code ${code}` : `by ${signal}`;
        const words = lastWords.trim().split('\n').at(-1) ?? '';
        resolve(`${options.command} ended ${how}${words === '' ? '' : `: ${words}`}`);
      };
      if (options.outlivesLauncher && isAlive(shellPid)) {
        retired = true;
        const timer = setInterval(() => {
          if (!isAlive(shellPid)) {
            clearInterval(timer);
            tell();
          }
        }, aliveCheckMs);
        timer.unref();
      } else if (stderr.readableEnded) {
        tell();
      } else {
        const timer = setTimeout(tell, lastWordsMs);
        stderr.once('end', () => {
          clearTimeout(timer);
          tell();
        });
      }
    });
  });
  let isGone = false;
  void gone.then(() => {
    isGone = true;
    shellPid = null;
    for (const stream of streams) {
      stream.destroy();
    }
  });
  return {
    input,
    lanes: [
      { stdout, stderr },
      { stdout: agentStdout, stderr: agentStderr },
    ],
    gone,
    get retired() {
      return retired;
    },
    destroy: () => {
      // By now the process ids may be those of others.
      if (!isGone) {
        options.destroy(shellPid, child);
      }
    },
    get launcherPid() {
      return isGone ? null : (child.pid ?? null);
    },
    get shellPid() {
      return shellPid;
    },
  };
}

function isAlive(pid: number | null): boolean {
  return pid !== null && readProcess(pid) !== null;
}

/** Looked up once: it takes a moment, and nothing is added later. */
const inherited: readonly number[] = inheritedDescriptors();

/**
 * What the shell gets in place of this process's standard streams and of what it inherited: a directory that was left
 * open there would lead out of any sandbox.
 */
function descriptors(
  extra: { readonly sixth: boolean; readonly seventh: boolean },
  nothing: number | null,
): ('pipe' | 'ignore' | number)[] {
  const list: ('pipe' | 'ignore' | number)[] = Array(6).fill('pipe');
  if (extra.sixth || extra.seventh) {
    list.push(extra.sixth ? 'pipe' : 'ignore', ...(extra.seventh ? (['pipe'] as const) : []));
  }
  const pipes = list.length;
  for (const descriptor of nothing === null ? [] : inherited) {
    while (list.length <= descriptor) {
      list.push('ignore');
    }
    if (descriptor >= pipes) {
      list[descriptor] = nothing ?? 'ignore';
    }
  }
  return list;
}

function start({ command, args, cwd, env, uid, sixth, admit }: SpawnShellOptions): ChildProcess {
  let child: ChildProcess | null = null;
  let cause: unknown = null;
  let nothing: number | null = null;
  try {
    nothing = inherited.length === 0 ? null : openSync('/dev/null', 'r');
    child = spawn(command, args, {
      cwd,
      env: { ...env },
      detached: true,
      ...(uid === undefined ? {} : { uid, gid: uid }),
      stdio: descriptors({ sixth: Boolean(sixth), seventh: Boolean(admit) }, nothing),
    });
  } catch (thrown) {
    cause = thrown;
  } finally {
    if (nothing !== null) {
      closeSync(nothing);
    }
  }
  // Out of file descriptors: the child has no streams, and the error comes as an event.
  if (child === null || child.stdio === undefined) {
    child?.on('error', () => {});
    throw new TalariaError({
      code: 'sandbox_unavailable',
      message: `A sandbox cannot be started: ${cause === null ? 'out of file descriptors' : messageOf(cause)}.`,
      cause,
    });
  }
  return child;
}

import { Worker } from 'node:worker_threads';
import type { Clock } from '../../src/clock.js';
import { messageOf, usageError } from '../../src/errors.js';
import { withinLimit } from '../../src/rollout/within-limit.js';
import { type ForeignConfig, foreignModules, nameModules } from './foreign-code.js';
import type { ProbeResult } from './probe-thread.js';

export interface ProbeOptions {
  readonly config: ForeignConfig;
  /** Environment of the thread. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Aborted to give up: it then resolves, and the caller knows why. */
  readonly signal: AbortSignal;
}

/**
 * Opens users' modules in a thread of their own before they are opened in this one, which a module that loops for ever
 * would block: no signal would be heard, and nobody could say what hangs. Rejects with a usage error that names the
 * module. What they print is dropped: they will print it again.
 */
export async function probeModules(options: ProbeOptions): Promise<void> {
  const { config, timeoutMs, clock, signal } = options;
  const modules = foreignModules(config);
  if (modules.length === 0) {
    return;
  }
  const worker = new Worker(new URL('./probe-thread.js', import.meta.url), {
    workerData: config,
    env: { ...options.environment },
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  try {
    const probed = await withinLimit(() => resultOf(worker, modules), {
      clock,
      signal,
      timeoutMs,
    });
    if (probed.state === 'timeout') {
      throw usageError(openingTooLong(modules, timeoutMs));
    }
    if (probed.state === 'done' && probed.value !== null) {
      throw usageError(probed.value);
    }
  } finally {
    await worker.terminate();
  }
}

/** What to say of modules that do not finish opening. */
export function openingTooLong(modules: readonly string[], timeoutMs: number): string {
  return `${nameModules(modules)} had not opened after ${timeoutMs / 1000} s: it hangs while it is imported or opened. If it only needs longer, raise run.open_timeout_s.`;
}

function resultOf(worker: Worker, modules: readonly string[]): Promise<ProbeResult> {
  return new Promise((resolve) => {
    worker.once('message', resolve);
    worker.once('error', (thrown) =>
      resolve(`${nameModules(modules)} ended the thread that opened it: ${messageOf(thrown)}`),
    );
    worker.once('exit', () =>
      resolve(
        `${nameModules(modules)} never finishes opening: it awaits something that does not come.`,
      ),
    );
  });
}

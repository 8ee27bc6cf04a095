import type { ResolvedConfig } from '../config/resolved-config.js';
import type { Reporter } from '../reporters/reporter.js';
import type { RunCounts } from '../store/run-store.js';

export interface BatchOptions {
  readonly config: ResolvedConfig;
  /** Goes on with an existing run; without it an existing run directory is refused. */
  readonly resume: boolean;
  readonly reporter: Reporter;
  /** Variables of the process, of which workers see an allow-list; API keys are in the configuration already. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted on the first Ctrl-C: no new work, what runs may end within the grace period. */
  readonly drain: AbortSignal;
  /** Aborted on the second: everything is cancelled at once. */
  readonly cancel: AbortSignal;
}

/** How a batch ended. `done` says nothing of failures: the caller compares them with `fail_on_error`. */
export interface BatchResult {
  readonly end: 'done' | 'stopped' | 'interrupted';
  /** Why it stopped early, in a sentence; null when it did not. */
  readonly reason: string | null;
  readonly counts: RunCounts;
  /** Of this start only. */
  readonly modelCalls: number;
  readonly finishedNow: number;
  /** Rows merged because their keys are equal, and rows skipped as bad. */
  readonly mergedRows: number;
  readonly skippedRows: number;
}

import type { Clock } from '../../src/clock.js';
import { counted } from '../../src/text/counted.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import { noticeText } from './notice-text.js';
import { progressLine } from './progress-text.js';
import type { Reporter, RunProgress } from './reporter.js';

/** Options of {@link lineReporter}. */
export interface LineReporterOptions {
  /** Takes whole lines, for stderr. */
  readonly write: (text: string) => void;
  readonly clock: Clock;
  /** @default 30_000 */
  readonly everyMs?: number;
}

/** For logs and pipes: one line of progress every 30 seconds, and a last one. */
export function lineReporter({ write, clock, everyMs = 30_000 }: LineReporterOptions): Reporter {
  let nextAt = clock.monotonic() + everyMs;
  let last: RunProgress | null = null;
  return {
    onStart(run) {
      write(
        `${run.resumed ? 'Resuming' : 'Starting'} ${safeForTerminal(`${run.name} in ${run.directory}`)}: ${counted(run.concurrency, 'rollout')} at once on ${counted(run.threads, 'thread')}\n`,
      );
    },
    onProgress(progress) {
      last = progress;
      if (clock.monotonic() >= nextAt) {
        nextAt = clock.monotonic() + everyMs;
        write(`${progressLine(progress)}\n`);
      }
    },
    onNotice(notice) {
      write(noticeText(notice));
    },
    onEnd() {
      if (last !== null) {
        write(`${progressLine(last)}\n`);
      }
    },
  };
}

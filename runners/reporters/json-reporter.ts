import type { Clock } from '../../src/clock.js';
import { jsonLine } from '../../src/text/json-line.js';
import type { Reporter } from './reporter.js';

/** Options of {@link jsonReporter}. */
export interface JsonReporterOptions {
  readonly write: (text: string) => void;
  readonly clock: Clock;
  /** Between two lines of progress. @default 1_000 */
  readonly everyMs?: number;
}

/**
 * For programs: one JSON object a line with a `type`: `start`, `progress` (once a second at most), `rollout-start`,
 * `rollout-end`, `notice`, `end`. Times are ISO 8601 in `at`.
 */
export function jsonReporter({ write, clock, everyMs = 1000 }: JsonReporterOptions): Reporter {
  let nextAt = Number.NEGATIVE_INFINITY;
  let unsent: object | null = null;
  const line = (type: string, data: object) => {
    write(`${jsonLine({ type, at: new Date(clock.now()).toISOString(), ...data })}\n`);
  };
  return {
    onStart({ name, directory, resumed, concurrency, threads }) {
      line('start', { name, directory, resumed, concurrency, threads });
    },
    eventTypes: ['rollout-start', 'rollout-end'],
    onEvents(events) {
      for (const { type, ...data } of events) {
        if (type === 'rollout-start' || type === 'rollout-end') {
          line(type, data);
        }
      }
    },
    onProgress(progress) {
      unsent = {
        total: progress.total,
        planning: progress.planning,
        done: progress.done,
        failed: progress.failed,
        discarded: progress.discarded,
        running: progress.running,
        finished_now: progress.finishedNow,
        model_calls: progress.modelCalls,
        prompt_tokens: progress.promptTokens,
        completion_tokens: progress.completionTokens,
        retries: progress.retries,
        cost_usd: progress.costUsd,
        elapsed_s: progress.elapsedMs / 1000,
      };
      if (clock.monotonic() >= nextAt) {
        nextAt = clock.monotonic() + everyMs;
        line('progress', unsent);
        unsent = null;
      }
    },
    onNotice({ level, code, message }) {
      line('notice', { level, code, message });
    },
    onEnd() {
      if (unsent !== null) {
        line('progress', unsent);
      }
      line('end', {});
    },
  };
}

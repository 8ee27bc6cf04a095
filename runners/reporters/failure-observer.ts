import type { RolloutEvent } from '../../src/rollout/event.js';
import { oneLine } from '../../src/text/one-line.js';
import { failureHint } from './failure-hints.js';
import type { Reporter, RunNotice } from './reporter.js';

/** How many failures are told in full; the others are counted by the progress display. */
const toldInFull = 3;

/**
 * Tells the first failures of a run as they happen: class, message, last command, and what to do, so that nobody
 * waits an hour to learn of a wrong key. A call that is repeated is told once for each class: what is repeated ten times,
 * with growing waits, looks like a run that hangs. The texts go to `tell` as notices.
 */
export function failureObserver(tell: (notice: RunNotice) => void): Reporter {
  /** The latest tool call of each rollout under way. */
  const lastCalls = new Map<string, string>();
  const repeated = new Set<string>();
  let told = 0;
  return {
    eventTypes: ['tool-start', 'rollout-end', 'retry-start'],
    onEvents(events) {
      for (const event of events) {
        const rollout = `${event.task_key}#${event.sample}`;
        if (event.type === 'tool-start' && told < toldInFull) {
          lastCalls.set(rollout, `${event.name} ${event.summary}`);
        } else if (event.type === 'retry-start' && !repeated.has(event.class)) {
          repeated.add(event.class);
          tell({
            level: 'warning',
            code: 'call_repeated',
            message: `a model call failed and is repeated: ${oneLine(event.class, 200)}: ${oneLine(event.message, 200)}. Further ones are only counted.`,
          });
        } else if (event.type === 'rollout-end') {
          if (event.status === 'failed' && told < toldInFull) {
            told++;
            tell({
              level: 'warning',
              code: 'rollout_failed',
              message: failureText(event, lastCalls.get(rollout) ?? null, told === toldInFull),
            });
          }
          lastCalls.delete(rollout);
        }
      }
    },
  };
}

type RolloutEnd = Extract<RolloutEvent, { type: 'rollout-end' }>;

function failureText(event: RolloutEnd, lastCall: string | null, last: boolean): string {
  const hint = failureHint(event.error_class);
  return [
    `rollout ${event.task_key.slice(0, 8)}#${event.sample} failed: ${oneLine(event.error_class ?? event.exit_reason, 200)}` +
      (event.error_message === null ? '' : `: ${oneLine(event.error_message, 200)}`),
    ...(lastCall === null ? [] : [`  last command: ${oneLine(lastCall, 200)}`]),
    ...(hint === null ? [] : [`  ${hint}`]),
    ...(last ? ['  Further failures are only counted; see: talaria stats'] : []),
  ].join('\n');
}

import type { RunProgress } from '../../../runners/reporters/reporter.js';
import type { Clock } from '../../../src/clock.js';
import type { RolloutEvent } from '../../../src/rollout/event.js';

/** A clock that moves when it is told to. */
export function handClock(): Clock & { advance(ms: number): void } {
  let at = 0;
  return {
    now: () => Date.UTC(2030, 0, 1) + at,
    monotonic: () => at,
    sleep: async () => undefined,
    after: () => () => undefined,
    advance(ms) {
      at += ms;
    },
  };
}

/** Collects what is written. */
export function collector() {
  const parts: string[] = [];
  return { write: (text: string) => void parts.push(text), text: () => parts.join('') };
}

export function progress(changes: Partial<RunProgress> = {}): RunProgress {
  return {
    total: 100,
    planning: false,
    done: 40,
    failed: 0,
    discarded: 0,
    running: 8,
    finishedNow: 40,
    modelCalls: 120,
    promptTokens: 9000,
    completionTokens: 3400,
    retries: 0,
    costUsd: null,
    elapsedMs: 60_000,
    ...changes,
  };
}

export function toolStart(task: string, summary: string): RolloutEvent {
  const origin = { task_key: task, sample: 0, attempt: 1 };
  return { ...origin, type: 'tool-start', turn: 1, call_id: 'c', name: 'terminal', summary };
}

export function rolloutEnd(task: string, errorClass: string | null, message = 'no'): RolloutEvent {
  return {
    task_key: task,
    sample: 0,
    attempt: 1,
    type: 'rollout-end',
    status: errorClass === null ? 'completed' : 'failed',
    exit_reason: errorClass === null ? 'finished' : 'model_error',
    error_class: errorClass,
    error_message: errorClass === null ? null : message,
    reward: null,
    turns: 1,
    seconds: 1,
  };
}

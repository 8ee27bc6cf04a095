import type { Clock } from '../../src/clock.js';
import type { LaneHandle } from './lane-handle.js';

/** A lane that was heard of so recently runs: it gives a sign of life each second. */
const aliveMs = 1_500;

export interface WallLimitsOptions {
  readonly clock: Clock;
  /** Hard limit of one rollout. */
  readonly limitMs: number;
  /** What a rollout may still take once it was told to end. */
  readonly graceMs: number;
}

/** Holds every rollout to its wall limit: first it is cancelled, then its worker thread is ended. */
export class WallLimits {
  readonly #options: WallLimitsOptions;
  readonly #timers = new Map<number, () => void>();

  constructor(options: WallLimitsOptions) {
    this.#options = options;
  }

  start(lane: LaneHandle, rolloutId: number): void {
    const { clock, limitMs, graceMs } = this.#options;
    const onLimit = () => {
      lane.cancel(rolloutId, 'deadline');
      this.#timers.set(
        rolloutId,
        clock.after(graceMs, () => {
          // In a thread that is blocked every rollout overstays: who blocks it, the black box tells.
          if (lane.silentMs < aliveMs) {
            lane.blackBox.convict(rolloutId);
          }
          lane.kill(`a rollout did not end ${Math.round(graceMs / 1000)} s after its wall limit`);
        }),
      );
    };
    this.#timers.set(rolloutId, clock.after(limitMs, onLimit));
  }

  end(rolloutId: number): void {
    this.#timers.get(rolloutId)?.();
    this.#timers.delete(rolloutId);
  }

  close(): void {
    for (const cancel of this.#timers.values()) {
      cancel();
    }
    this.#timers.clear();
  }
}

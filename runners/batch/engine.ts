import type { Clock } from '../../src/clock.js';
import { messageOf, TalariaError, usageError } from '../../src/errors.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { Reporter } from '../reporters/reporter.js';
import type { PendingRollout, RolloutHandle, RunStore } from '../store/run-store.js';
import { Canary } from './canary.js';
import { foreignModules } from './foreign-code.js';
import type { LaneHandle } from './lane-handle.js';
import { LanePool } from './lane-pool.js';
import type { FromLane, LaneConfig, RolloutDone } from './lane-protocol.js';
import { openingTooLong } from './probe-modules.js';
import type { ProgressMeter } from './progress-meter.js';
import { Suspects } from './suspects.js';
import { WallLimits } from './wall-limits.js';
import { WorkQueue } from './work-queue.js';

export interface EngineOptions {
  readonly config: ResolvedConfig;
  readonly laneConfig: LaneConfig;
  readonly store: RunStore;
  readonly reporter: Reporter;
  readonly meter: ProgressMeter;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly drain: AbortSignal;
  readonly cancel: AbortSignal;
}

export interface EngineEnd {
  readonly end: 'done' | 'stopped' | 'interrupted';
  readonly reason: string | null;
}

/** A worker that gives no sign of life for so long is stuck in a loop. */
const stuckAfterMs = 60_000;
/** How often the workers are looked at. */
const watchEveryMs = 1_000;
/** What a worker may take to close its sockets and sandboxes once it is told to stop, or to cancel. */
const closeGraceMs = 10_000;
const firstRetryDelayMs = 1_000;
const maxRetryDelayMs = 30_000;

/**
 * Runs what the plan holds: keeps the lanes full, repeats what may be repeated, puts what killed a worker aside, and ends
 * when nothing is left, when told to, or when going on makes no sense.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #queue: WorkQueue;
  readonly #pool: LanePool;
  readonly #canary: Canary | null;
  readonly #suspects: Suspects;
  readonly #walls: WallLimits;
  /** Attempts of this start, by rollout; only of those that failed. */
  readonly #attempts = new Map<number, number>();
  #waitingRetries = 0;
  /** The class with which the first rollouts failed alike. */
  #commonFailure: string | null = null;
  #ending: EngineEnd | null = null;
  #error: unknown = null;
  #settle: (() => void) | null = null;

  constructor(options: EngineOptions) {
    const { config, store, clock } = options;
    this.#options = options;
    this.#canary = config.run.canary ? new Canary() : null;
    this.#queue = new WorkQueue({
      store,
      // Tasks can be big, and the store hands out a thousand in some milliseconds.
      prefetch: Math.max(64, Math.ceil(config.run.concurrency / 4)),
      onChange: () => this.#fill(),
      onError: (thrown) => this.#fail(thrown),
    });
    this.#suspects = new Suspects({
      store,
      release: (pending) => this.#queue.putBack(pending),
      onChange: () => this.#fill(),
      onQuarantine: (message) =>
        options.reporter.onNotice?.({ level: 'warning', code: 'quarantined', message }),
      onError: (thrown) => this.#fail(thrown),
    });
    this.#walls = new WallLimits({
      clock,
      limitMs: config.agent.maxWallMs,
      graceMs: config.run.graceMs,
    });
    this.#pool = new LanePool({
      config: options.laneConfig,
      store,
      threads: Math.min(config.run.threads, config.run.concurrency),
      concurrency: config.run.concurrency,
      environment: options.environment,
      now: () => clock.monotonic(),
      onMessage: (lane, message) => this.#receive(lane, message),
      onDeath: (lane, reason) => this.#onDeath(lane, reason),
      onFatal: (error) => this.#fail(error),
    });
  }

  /** Rollouts that are running now. */
  get running(): number {
    return this.#pool.held;
  }

  /** Tells that the plan has grown, or is complete. */
  planGrew(complete: boolean): void {
    this.#queue.planGrew(complete);
  }

  /** Ends the run early; what runs may end within the grace period. The first reason counts. */
  stop(end: EngineEnd): void {
    if (this.#ending !== null) {
      return;
    }
    this.#ending = end;
    const { clock, config } = this.#options;
    clock.after(config.run.graceMs, () => this.#cancelAll());
    this.#checkEnd();
  }

  /** Ends the run at once, since it cannot go on: {@link run} rejects with this. */
  fail(thrown: unknown): void {
    this.#fail(thrown);
  }

  /** Resolves when the run has ended and every worker is gone. Rejects when it could not go on. */
  async run(): Promise<EngineEnd> {
    const { drain, cancel } = this.#options;
    const settled = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    const interrupted: EngineEnd = { end: 'interrupted', reason: 'interrupted' };
    const onDrain = () => this.stop(interrupted);
    const onCancel = () => {
      this.stop(interrupted);
      this.#cancelAll();
    };
    drain.addEventListener('abort', onDrain, { once: true });
    cancel.addEventListener('abort', onCancel, { once: true });
    const watch = setInterval(() => this.#watchLanes(), watchEveryMs);
    // A resume whose cap was not raised must not pay for one more reply.
    this.#stopAtCostCap();
    if (cancel.aborted) {
      onCancel();
    } else if (drain.aborted) {
      onDrain();
    }
    await settled;
    clearInterval(watch);
    drain.removeEventListener('abort', onDrain);
    cancel.removeEventListener('abort', onCancel);
    this.#walls.close();
    await this.#pool.close(closeGraceMs);
    if (this.#error !== null) {
      throw this.#error;
    }
    if (this.#commonFailure !== null) {
      // Once its cause is mended, these rollouts are worth another try.
      await this.#options.store.reopen(this.#commonFailure);
    }
    return this.#ending ?? { end: 'done', reason: null };
  }

  #fill(): void {
    if (this.#ending === null) {
      this.#fillIsolation();
      for (let lane = this.#freest(); lane !== null; lane = this.#freest()) {
        const pending = this.#queue.take();
        if (pending === null) {
          break;
        }
        this.#assign(lane, pending);
      }
    }
    this.#checkEnd();
  }

  #fillIsolation(): void {
    if (!this.#suspects.waiting) {
      return;
    }
    const lane = this.#pool.isolation();
    if (lane.free > 0) {
      const suspect = this.#suspects.take();
      if (suspect !== null) {
        this.#assign(lane, suspect);
      }
    }
  }

  #freest(): LaneHandle | null {
    let freest: LaneHandle | null = null;
    for (const lane of this.#pool.lanes) {
      if (lane.free > (freest?.free ?? 0)) {
        freest = lane;
      }
    }
    return freest;
  }

  #assign(lane: LaneHandle, pending: PendingRollout): void {
    lane.assign(pending);
    this.#walls.start(lane, pending.rolloutId);
  }

  #release(lane: LaneHandle, rolloutId: number): RolloutHandle | null {
    const pending = lane.held.get(rolloutId) ?? null;
    lane.held.delete(rolloutId);
    this.#walls.end(rolloutId);
    return pending;
  }

  #receive(lane: LaneHandle, message: FromLane): void {
    switch (message.type) {
      case 'ready':
        this.#fill();
        break;
      case 'events':
        this.#onEvents(message);
        break;
      case 'done':
        this.#onDone(lane, message);
        break;
      case 'broken':
        this.#onBroken(lane, message.rolloutId, message.message);
        break;
      case 'stray':
        this.#options.reporter.onNotice?.({
          level: 'warning',
          code: 'stray_error',
          message: `An error was caught in a worker that belongs to no running rollout: ${message.message}`,
        });
        break;
      case 'refused':
      case 'store-failed':
        this.#fail(new TalariaError({ code: asErrorCode(message.code), message: message.message }));
        break;
    }
  }

  #onEvents({ events, metered }: Extract<FromLane, { type: 'events' }>): void {
    const { meter, reporter } = this.#options;
    meter.add(metered);
    if (events.length > 0) {
      reporter.onEvents?.(events);
    }
    this.#stopAtCostCap();
  }

  #stopAtCostCap(): void {
    const { meter, config } = this.#options;
    const spent = meter.costUsd;
    const cap = config.run.maxCostUsd;
    if (spent !== null && cap !== null && spent >= cap) {
      this.stop({
        end: 'stopped',
        reason: `the cost cap is reached: $${spent.toFixed(4)} of run.max_cost_usd ${cap}; raise it first`,
      });
    }
  }

  #onDone(lane: LaneHandle, done: RolloutDone): void {
    const pending = this.#release(lane, done.rolloutId);
    if (pending !== null && !done.stale) {
      this.#suspects.clear(done.rolloutId);
      const again = this.#mayRetry(done);
      this.#options.meter.outcome(done, !again && done.status !== 'cancelled');
      if (again) {
        this.#retryLater(done.rolloutId);
      }
      // The second attempt of a rollout says nothing new.
      if ((this.#attempts.get(done.rolloutId) ?? 1) === 1) {
        this.#askCanary(done);
      }
    }
    this.#fill();
  }

  #askCanary({ status, errorClass }: RolloutDone): void {
    const verdict = this.#canary?.observe(status === 'failed' ? errorClass : null) ?? null;
    if (verdict !== null) {
      this.#commonFailure = errorClass;
      this.stop({ end: 'stopped', reason: verdict });
    }
  }

  #mayRetry(done: RolloutDone): boolean {
    if (done.status !== 'failed' || !done.retryable || this.#ending !== null) {
      return false;
    }
    const attempts = (this.#attempts.get(done.rolloutId) ?? 0) + 1;
    this.#attempts.set(done.rolloutId, attempts);
    return attempts < this.#options.config.run.maxAttempts;
  }

  #retryLater(rolloutId: number): void {
    const { clock, store } = this.#options;
    const attempts = this.#attempts.get(rolloutId) ?? 1;
    this.#waitingRetries += 1;
    clock.after(Math.min(maxRetryDelayMs, firstRetryDelayMs * 2 ** (attempts - 1)), () => {
      if (this.#ending !== null) {
        this.#waitingRetries -= 1;
        this.#checkEnd();
        return;
      }
      store.retry(rolloutId).then(
        (pending) => {
          this.#waitingRetries -= 1;
          this.#queue.putBack(pending);
        },
        (thrown: unknown) => this.#fail(thrown),
      );
    });
  }

  #onBroken(lane: LaneHandle, rolloutId: number, message: string): void {
    this.#release(lane, rolloutId);
    this.#options.store.fail(rolloutId, { class: 'internal', message }).then(
      () => this.#fill(),
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  #onDeath(lane: LaneHandle, reason: string): void {
    const held = [...lane.held.values()];
    for (const pending of held) {
      this.#release(lane, pending.rolloutId);
    }
    this.#options.reporter.onNotice?.({
      level: 'warning',
      code: 'worker_died',
      message: `A worker thread died (${reason}); ${heldAgain(held.length)}`,
    });
    this.#suspects.onDeath(held, lane.blackBox.last, this.#wasAlone(lane, held), reason);
    this.#fill();
  }

  #wasAlone(lane: LaneHandle, held: readonly RolloutHandle[]): boolean {
    return lane.capacity === 1 && held.length === 1;
  }

  #watchLanes(): void {
    const { environment, rollout } = this.#options.laneConfig;
    const modules = foreignModules({ environment, rewards: rollout.rewards });
    const { openTimeoutMs } = this.#options.config.run;
    for (const lane of this.#pool.all) {
      if (!lane.opened && modules.length > 0 && lane.silentMs > openTimeoutMs) {
        this.#fail(usageError(openingTooLong(modules, openTimeoutMs)));
      } else if (lane.ready && lane.silentMs > stuckAfterMs) {
        lane.kill(`no sign of life for ${Math.round(lane.silentMs / 1000)} s`);
      }
    }
  }

  #cancelAll(): void {
    for (const lane of this.#pool.all) {
      lane.cancelAll();
    }
    this.#options.clock.after(closeGraceMs, () => this.#settle?.());
  }

  #fail(thrown: unknown): void {
    this.#error ??= TalariaError.isInstance(thrown) ? thrown : new Error(messageOf(thrown));
    this.#ending ??= { end: 'stopped', reason: messageOf(thrown) };
    this.#settle?.();
  }

  #checkEnd(): void {
    if (this.#pool.held > 0 || this.#suspects.busy) {
      return;
    }
    const nothingLeft =
      this.#queue.drained && this.#waitingRetries === 0 && !this.#suspects.waiting;
    if (this.#ending !== null || nothingLeft) {
      this.#settle?.();
    }
  }
}

function heldAgain(rollouts: number): string {
  return rollouts === 1
    ? 'its one rollout runs again and is not charged.'
    : `its ${rollouts} rollouts run again and are not charged.`;
}

function asErrorCode(code: string): TalariaError['code'] {
  return code as TalariaError['code'];
}

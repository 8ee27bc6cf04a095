import type { Clock } from '../clock.js';
import { type AbortLike, LazyAbort } from '../lazy-abort.js';
import { type Interruption, interruptionOf } from '../rollout/interruption.js';

/** What stopped an agent: `deadline` also stands for the wall limit. */
export type StopReason = Interruption;

/** Time of an agent that its wall limit ended. */
export interface LostToModel {
  /** What the model server took without an answer. */
  readonly lostMs: number;
  readonly elapsedMs: number;
  /** Whether it was so much that the agent cannot be blamed for the rest. */
  readonly most: boolean;
}

/** What an {@link AgentStop} watches. */
export interface AgentStopOptions {
  /** The rollout's own signal; its reason tells a wall limit from a cancellation. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Working time that the agent may take. */
  readonly deadlineMs: number;
  /** Milliseconds so far that were not working time. */
  readonly waitedMs: () => number;
}

/** From this share of a rollout's time on, time that was lost to the model server is what its wall limit ended it for. */
const outageShare = 1 / 4;
/** Timers hold no more than this; a longer delay would fire at once. */
const longestTimerMs = 2 ** 31 - 1;
/** While a call waits, the rest of the working time stands still: do not look again at every millisecond. */
const shortestRecheckMs = 50;

/**
 * One signal for everything that an agent has in flight: it aborts when the rollout is cancelled or its working time
 * is over, and keeps which of them came first. Holds one listener and one timer until it is closed.
 */
export class AgentStop {
  readonly #options: AgentStopOptions;
  readonly #abort = new LazyAbort();
  readonly #startedAt: number;
  readonly #onAbort = () => this.#interrupt();
  #cancelTimer: () => void = () => {};
  #reason: StopReason | null = null;
  #lost: LostToModel | null = null;

  constructor(options: AgentStopOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    if (options.signal.aborted) {
      this.#interrupt();
      return;
    }
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#arm(this.#remainingMs());
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The same, at less cost for those who only listen. */
  get abort(): AbortLike {
    return this.#abort;
  }

  /** Why the agent must stop, or null. */
  get reason(): StopReason | null {
    return this.#reason;
  }

  /** What had gone to the model server when the wall limit came, if the agent had working time left; else null. */
  get lost(): LostToModel | null {
    return this.#lost;
  }

  /** As {@link reason}, but asks the clock too: a model that answers at once leaves timers no chance to fire. */
  check(): StopReason | null {
    if (this.#reason === null && this.#remainingMs() <= 0) {
      this.#stop('deadline');
    }
    return this.#reason;
  }

  /** Removes the listener and the timer. */
  close(): void {
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#cancelTimer();
  }

  #remainingMs(): number {
    return this.#options.deadlineMs - (this.#elapsedMs() - this.#options.waitedMs());
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonic() - this.#startedAt;
  }

  /** The model's own time is looked at before the abort reaches it. */
  #interrupt(): void {
    const reason = interruptionOf(this.#options.signal);
    if (reason === 'deadline' && this.#remainingMs() > 0) {
      const lostMs = this.#options.waitedMs();
      const elapsedMs = this.#elapsedMs();
      this.#lost = { lostMs, elapsedMs, most: lostMs > elapsedMs * outageShare };
    }
    this.#stop(reason);
  }

  #arm(delayMs: number): void {
    this.#cancelTimer = this.#options.clock.after(Math.min(delayMs, longestTimerMs), () => {
      const remaining = this.#remainingMs();
      if (remaining <= 0) {
        this.#stop('deadline');
      } else {
        this.#arm(Math.max(remaining, shortestRecheckMs));
      }
    });
  }

  /** Closes first, so that neither the listener nor the timer can stop it a second time. */
  #stop(reason: StopReason): void {
    this.#reason = reason;
    this.close();
    this.#abort.abort(new DOMException('The agent was stopped.', 'AbortError'));
  }
}

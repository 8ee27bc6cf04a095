import type {
  EventOrigin,
  EventType,
  RolloutEvent,
  RolloutEventBody,
} from '../../src/rollout/event.js';
import { type Metered, nothingMetered, withEvent } from './metered.js';

export interface EventOutboxOptions {
  /** Null for all but the deltas. */
  readonly wanted: readonly EventType[] | null;
  readonly flushMs?: number;
  readonly signOfLifeMs?: number;
  send(events: readonly RolloutEvent[], metered: Metered): void;
}

/** Gathers the events of all rollouts of a lane and their sums, sends them in batches, and a sign of life when there are none. */
export class EventOutbox {
  readonly #send: EventOutboxOptions['send'];
  readonly #wanted: ReadonlySet<EventType> | null;
  readonly #flushTimer: NodeJS.Timeout;
  #events: RolloutEvent[] = [];
  #metered = nothingMetered;
  #quietTicks = 0;

  constructor({ wanted, flushMs = 50, signOfLifeMs = 1000, send }: EventOutboxOptions) {
    this.#send = send;
    this.#wanted = wanted === null ? null : new Set(wanted);
    const ticksOfQuiet = Math.max(1, Math.round(signOfLifeMs / flushMs));
    this.#flushTimer = setInterval(() => {
      this.#quietTicks += 1;
      const quiet = this.#events.length === 0 && this.#metered === nothingMetered;
      if (!quiet || this.#quietTicks >= ticksOfQuiet) {
        this.flush();
      }
    }, flushMs);
  }

  add(origin: EventOrigin, event: RolloutEventBody): void {
    this.#metered = withEvent(this.#metered, event);
    if (this.#wanted === null ? !event.type.endsWith('-delta') : this.#wanted.has(event.type)) {
      // The event comes first and alone: a second spread takes V8's slow path.
      const { task_key, sample, attempt } = origin;
      this.#events.push({ ...event, task_key, sample, attempt });
    }
  }

  flush(): void {
    const events = this.#events;
    const metered = this.#metered;
    this.#events = [];
    this.#metered = nothingMetered;
    this.#quietTicks = 0;
    this.#send(events, metered);
  }

  close(): void {
    clearInterval(this.#flushTimer);
    this.flush();
  }
}

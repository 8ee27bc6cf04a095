import type {
  EventOrigin,
  EventType,
  RolloutEvent,
  RolloutEventBody,
} from '../../src/rollout/event.js';

export interface EventOutboxOptions {
  /** Null for all but the deltas. */
  readonly wanted: readonly EventType[] | null;
  readonly flushMs?: number;
  readonly signOfLifeMs?: number;
  send(events: readonly RolloutEvent[]): void;
}

/** Gathers the events of all rollouts of a lane and sends them in batches, and a sign of life when there are none. */
export class EventOutbox {
  readonly #send: (events: readonly RolloutEvent[]) => void;
  readonly #wanted: ReadonlySet<EventType> | null;
  readonly #flushTimer: NodeJS.Timeout;
  #events: RolloutEvent[] = [];
  #quietTicks = 0;

  constructor({ wanted, flushMs = 50, signOfLifeMs = 1000, send }: EventOutboxOptions) {
    this.#send = send;
    this.#wanted = wanted === null ? null : new Set(wanted);
    const ticksOfQuiet = Math.max(1, Math.round(signOfLifeMs / flushMs));
    this.#flushTimer = setInterval(() => {
      this.#quietTicks += 1;
      if (this.#events.length > 0 || this.#quietTicks >= ticksOfQuiet) {
        this.flush();
      }
    }, flushMs);
  }

  add(origin: EventOrigin, event: RolloutEventBody): void {
    if (this.#wanted === null ? !event.type.endsWith('-delta') : this.#wanted.has(event.type)) {
      const { task_key, sample } = origin;
      // A retry counts its own attempts. The event comes first: a second spread takes V8's slow path.
      const attempt = event.type === 'retry-start' ? event.attempt : origin.attempt;
      this.#events.push({ ...event, task_key, sample, attempt });
    }
  }

  flush(): void {
    const events = this.#events;
    this.#events = [];
    this.#quietTicks = 0;
    this.#send(events);
  }

  close(): void {
    clearInterval(this.#flushTimer);
    this.flush();
  }
}

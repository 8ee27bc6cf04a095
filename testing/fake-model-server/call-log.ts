/** How often one conversation was sent. */
export interface FakeModelCall {
  /** Hash of the conversation and the seed; in fast mode of the whole request body. */
  readonly key: string;
  /** Requests, failed ones included. */
  readonly count: number;
  /** Requests that were answered in full: those that a user would pay for. */
  readonly answered: number;
}

/** What all requests together came to; times in milliseconds since the epoch, by a clock that only goes up. */
export interface FakeModelTotals {
  readonly requests: number;
  readonly request_bytes: number;
  readonly first_request_ms: number | null;
  readonly last_answer_ms: number | null;
}

/** Counts requests by conversation, so that a test can prove that nothing was paid for twice. */
export class CallLog {
  readonly #calls = new Map<string, { count: number; answered: number }>();
  #requests = 0;
  #requestBytes = 0;
  #firstRequestMs: number | null = null;
  #lastAnswerMs: number | null = null;

  get requests(): number {
    return this.#requests;
  }

  /** Notes a request; returns how many there were with this key. */
  request(key: string, bytes: number): number {
    this.#requests += 1;
    this.#requestBytes += bytes;
    this.#firstRequestMs ??= performance.timeOrigin + performance.now();
    const call = this.#calls.get(key);
    if (call === undefined) {
      this.#calls.set(key, { count: 1, answered: 0 });
      return 1;
    }
    call.count += 1;
    return call.count;
  }

  answer(key: string): void {
    this.#lastAnswerMs = performance.timeOrigin + performance.now();
    const call = this.#calls.get(key);
    if (call !== undefined) {
      call.answered += 1;
    }
  }

  calls(): readonly FakeModelCall[] {
    return [...this.#calls].map(([key, call]) => ({ key, ...call }));
  }

  totals(): FakeModelTotals {
    return {
      requests: this.#requests,
      request_bytes: this.#requestBytes,
      first_request_ms: this.#firstRequestMs,
      last_answer_ms: this.#lastAnswerMs,
    };
  }

  clear(): void {
    this.#requestBytes = 0;
    this.#firstRequestMs = null;
    this.#lastAnswerMs = null;
    this.#calls.clear();
    this.#requests = 0;
  }
}

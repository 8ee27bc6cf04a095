import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { AbortLike } from '../lazy-abort.js';
import { AnswerTooLong } from './answer-too-long.js';

type Controller = Dispatcher.DispatchController;

/** Status and headers of an answer; names of headers in lower case. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Takes one answer from the HTTP client as it comes in. The client's own `request` makes a stream for each, which costs
 * as much as all the rest of a small call. Holds one listener on the signal until the answer has ended.
 */
export class AnswerReader implements Dispatcher.DispatchHandler {
  /** Rejects with what the client failed with, or with the signal's reason. */
  readonly head: Promise<AnswerHead>;
  readonly #signal: AbortLike | null;
  readonly #maxBytes: number;
  readonly #onAbort = () => this.#abort(this.#signal?.reason);
  #chunks: Buffer[] = [];
  #received = 0;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #failure: unknown;
  #controller: Controller | null = null;
  #resolveHead: (head: AnswerHead) => void = () => {};
  #rejectHead: (thrown: unknown) => void = () => {};
  #wake: () => void = () => {};

  constructor(signal: AbortLike | null, maxBytes: number) {
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The whole body. Rejects as {@link head} does. */
  async bytes(): Promise<Buffer> {
    while (this.#state === 'open') {
      await this.#change();
    }
    this.#throwIfFailed();
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
  }

  /** The body piece by piece. Leaving early closes the connection. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        this.#chunks = [];
        yield* chunks;
        if (this.#chunks.length === 0) {
          this.#throwIfFailed();
          if (this.#state === 'ended') {
            return;
          }
          await this.#change();
        }
      }
    } finally {
      this.close();
    }
  }

  /** Closes the connection, unless the answer has ended. */
  close(): void {
    this.#abort(new Error('The rest of the answer is not wanted.'));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#state === 'failed') {
      controller.abort(aborted());
    }
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    // Below 200 are notes that come before the answer.
    if (status >= 200) {
      this.#resolveHead({ status, headers });
    }
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) {
      this.#chunks = [];
      this.#abort(new AnswerTooLong(this.#maxBytes));
      return;
    }
    this.#chunks.push(chunk);
    this.#wake();
  }

  onResponseEnd(): void {
    this.#settle('ended');
  }

  onResponseError(_: Controller | null, error: Error): void {
    this.fail(error);
  }

  /** Ends it with this failure, unless it has ended. */
  fail(thrown: unknown): void {
    if (this.#state === 'open') {
      this.#failure = thrown;
      this.#settle('failed');
      this.#rejectHead(thrown);
    }
  }

  #abort(reason: unknown): void {
    if (this.#state === 'open') {
      this.fail(reason);
      this.#controller?.abort(aborted());
    }
  }

  #settle(state: 'ended' | 'failed'): void {
    this.#state = state;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #throwIfFailed(): void {
    if (this.#state === 'failed') {
      throw this.#failure;
    }
  }
}

function aborted(): Error {
  return new Error('The request was aborted.');
}

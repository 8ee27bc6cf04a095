import type { MessagePort, TransferListItem } from 'node:worker_threads';
import { TalariaError } from '../../src/errors.js';
import { type AppendRequest, encodeAppends } from './append-text.js';
import type {
  CallName,
  ReplyMessage,
  RequestMessage,
  StoreCalls,
  StoreRequest,
} from './protocol.js';

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: TalariaError) => void;
}

/** Requests to the store's thread and the replies that belong to them. Keeps the process alive only while one is open. */
export class StoreChannel {
  readonly #port: Pick<MessagePort, 'postMessage' | 'ref' | 'unref'>;
  readonly #waiting = new Map<number, Waiting>();
  /** What this turn of the event loop asks: one message for all of it. */
  #unsent: StoreRequest[] = [];
  #appends: AppendRequest[] = [];
  #lastId = 0;
  #ended: TalariaError | null = null;

  /** `port` is a port or a Worker; its owner passes what arrives to {@link receive}. */
  constructor(port: Pick<MessagePort, 'postMessage' | 'ref' | 'unref'>) {
    this.#port = port;
    port.unref();
  }

  call<Name extends CallName>(
    call: Name,
    input: StoreCalls[Name]['input'],
    transfer: readonly TransferListItem[] = [],
  ): Promise<StoreCalls[Name]['output']> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { resolve, reject });
      if (this.#waiting.size === 1) {
        this.#port.ref();
      }
      const request = { id: this.#lastId, call, input } as StoreRequest;
      const isFirst = this.#unsent.length + this.#appends.length === 0;
      if (request.call === 'append') {
        this.#appends.push(request);
      } else {
        this.#unsent.push(request);
      }
      if (transfer.length > 0) {
        this.#send(transfer);
      } else if (isFirst) {
        setImmediate(() => this.#send([]));
      }
    });
  }

  receive({ stored, others }: ReplyMessage): void {
    for (const id of stored) {
      this.#take(id)?.resolve('stored' as never);
    }
    for (const reply of others) {
      const waiting = this.#take(reply.id);
      if ('error' in reply) {
        waiting?.reject(new TalariaError(reply.error));
      } else {
        waiting?.resolve(reply.value as never);
      }
    }
    if (this.#waiting.size === 0) {
      this.#port.unref();
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Rejects every later call with this reason; what was sent before still gets its reply. */
  refuse(reason: TalariaError): void {
    this.#ended ??= reason;
  }

  #send(transfer: readonly TransferListItem[]): void {
    const requests = this.#unsent;
    const appends = this.#appends;
    if (requests.length + appends.length === 0) {
      return;
    }
    this.#unsent = [];
    this.#appends = [];
    try {
      const message: RequestMessage = { appends: encodeAppends(appends), requests };
      this.#port.postMessage(message, transfer);
    } catch (thrown) {
      // Something that cannot be cloned is a bug; nobody may wait for it for ever.
      for (const { id } of [...appends, ...requests]) {
        this.#waiting.get(id)?.reject(storeGone(thrown));
        this.#waiting.delete(id);
      }
    }
  }

  /** Rejects what is waiting and every later call. The first reason counts. */
  end(reason: TalariaError): void {
    this.refuse(reason);
    const ended = this.#ended ?? reason;
    for (const { reject } of this.#waiting.values()) {
      reject(ended);
    }
    this.#waiting.clear();
  }
}

/** Why calls are rejected after the thread has gone. */
export function storeGone(cause?: unknown): TalariaError {
  const detail = cause instanceof Error ? ` (${cause.message})` : '';
  return new TalariaError({
    code: 'store_failed',
    message: `The run store has stopped${detail}. What was acknowledged is stored: start again with --resume.`,
    cause,
  });
}

import { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import type { AbortLike } from '../lazy-abort.js';
import { type AnswerHead, AnswerReader } from './answer-reader.js';
import { AnswerTooLong } from './answer-too-long.js';
import { LeanHeaders } from './lean-headers.js';
import { TransportError } from './transport-error.js';

/**
 * A `fetch` for model clients at about half the CPU of the platform's: no web streams, no `Request` and no
 * `Response`. It covers what a vendor SDK uses and no more: bodies of text or bytes going out; status, headers,
 * `text`, `json`, `arrayBuffer` and an async-iterable `body` coming back. Redirects are not followed.
 */
export interface LeanFetch {
  /**
   * Rejects with {@link TransportError}, or with the signal's reason after an abort. Has no time limit of its own:
   * a model may think for longer than any default. Only connecting is limited, to 10 s.
   */
  fetch(url: string, request: LeanRequest): Promise<LeanResponse>;
  /** Closes every socket; requests that are open are cut off. */
  close(): Promise<void>;
}

export interface LeanFetchOptions {
  /** Sockets per server: at least the requests that are open at once. */
  readonly connections: number;
  /** Bytes of one answer, unpacked; a longer one is a {@link TransportError} with the code `ANSWER_TOO_LONG`. @default 64 MB */
  readonly maxAnswerBytes?: number;
}

export interface LeanRequest {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Uint8Array | null;
  readonly signal: AbortLike | null;
}

/** Read it once, by one of the methods, or leave it to the signal. */
export interface LeanResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: LeanHeaders;
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export function createLeanFetch({
  connections,
  maxAnswerBytes = 64 * 2 ** 20,
}: LeanFetchOptions): LeanFetch {
  const agent = new Agent({
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000 },
  });
  const target = lastTarget();
  return {
    async fetch(url, { method, headers, body, signal }) {
      if (signal?.aborted) {
        throw signal.reason;
      }
      const reader = new AnswerReader(signal, maxAnswerBytes);
      try {
        const options = new LeanDispatch(target(url), method, headers, body);
        agent.dispatch(options as unknown as Dispatcher.DispatchOptions, reader);
      } catch (thrown) {
        reader.fail(thrown);
      }
      try {
        const head = await reader.head;
        return leanResponse(url, head, { reader, signal, maxBytes: maxAnswerBytes });
      } catch (thrown) {
        throw failureOf(thrown, signal);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Splits a URL for the agent; remembers the last one, since a client has one. */
function lastTarget(): (url: string) => { readonly origin: string; readonly path: string } {
  let last = { url: '', origin: '', path: '' };
  return (url) => {
    if (last.url !== url) {
      const { origin, pathname, search } = new URL(url);
      last = { url, origin, path: pathname + search };
    }
    return last;
  };
}

/** All that the HTTP client looks for: a lookup of what an object does not have is slow when objects differ in shape. */
class LeanDispatch {
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Uint8Array | null;
  readonly query = undefined;
  readonly idempotent = undefined;
  readonly blocking = undefined;
  readonly upgrade = undefined;
  readonly headersTimeout = undefined;
  readonly bodyTimeout = undefined;
  readonly reset = undefined;
  readonly expectContinue = undefined;
  readonly servername = undefined;
  readonly throwOnError = undefined;
  readonly maxRedirections = undefined;
  readonly typeOfService = undefined;

  constructor(
    { origin, path }: { readonly origin: string; readonly path: string },
    method: string,
    headers: { readonly [name: string]: string },
    body: string | Uint8Array | null,
  ) {
    this.origin = origin;
    this.path = path;
    this.method = method as Dispatcher.HttpMethod;
    this.headers = headers;
    this.body = body;
  }
}

function leanResponse(
  url: string,
  { status, headers }: AnswerHead,
  {
    reader,
    signal,
    maxBytes,
  }: {
    readonly reader: AnswerReader;
    readonly signal: AbortLike | null;
    readonly maxBytes: number;
  },
): LeanResponse {
  const encoding = headers['content-encoding'];
  const packed = encoding === undefined || encoding === 'identity' ? null : encoding;
  const pieces = () =>
    packed === null ? reader.pieces() : atMost(maxBytes, unpack(reader, packed));
  const bytes = async () => {
    try {
      return await (packed === null ? reader.bytes() : collect(pieces()));
    } catch (thrown) {
      throw failureOf(thrown, signal);
    }
  };
  const text = async () => textOf(await bytes());
  return {
    ok: status >= 200 && status < 300,
    status,
    url,
    headers: new LeanHeaders(headers),
    get body() {
      return guardedPieces(pieces(), signal);
    },
    text,
    json: async () => JSON.parse(await text()) as unknown,
    arrayBuffer: async () => new Uint8Array(await bytes()).buffer,
  };
}

function failureOf(thrown: unknown, signal: AbortLike | null): unknown {
  return signal?.aborted ? signal.reason : new TransportError(thrown);
}

async function* guardedPieces(
  source: AsyncIterable<Uint8Array>,
  signal: AbortLike | null,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (thrown) {
    throw failureOf(thrown, signal);
  }
}

/** Nothing is asked for in a packed form; some gateways pack all the same. */
function unpack(reader: AnswerReader, encoding: string): Readable {
  const body = Readable.from(reader.pieces());
  const unpacked = encoding.trim() === 'br' ? createBrotliDecompress() : createUnzip();
  body.once('error', (error) => unpacked.destroy(error));
  // Destroying the body would wait for its next piece.
  unpacked.once('close', () => reader.close());
  return body.pipe(unpacked);
}

/** A megabyte may unpack to a gigabyte. */
async function* atMost(
  maxBytes: number,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw new AnswerTooLong(maxBytes);
    }
    yield piece;
  }
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** UTF-8, without the mark that some servers put before it. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

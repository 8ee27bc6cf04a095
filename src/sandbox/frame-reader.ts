import type { Readable } from 'node:stream';

/** What the shell said at the end of a frame. */
export interface FrameEnd {
  /** Exit status of the command, 0 to 255. */
  readonly status: number;
  /** Whether the directory and the exported variables that it left were stored. */
  readonly saved: boolean;
}

/** Takes the bytes of a frame. */
export interface FrameSink {
  push(chunk: Uint8Array): void;
  /** Bytes that it did not keep: once they are many, the stream is slowed down. */
  readonly omittedBytes: number;
}

const floodBytes = 2 * 1024 * 1024;
const floodPauseMs = 4;
const floodStepBytes = 1024 * 1024;
/** Many small chunks cost as much as a few large ones, whether they are kept or not. */
const smallChunkBytes = 4_096;
const leastChunkCost = 32 * 1024;
const longestEnd = 16;

/**
 * Cuts frames out of one output stream of a shell: what lies between `<NONCE>` and `</NONCE STATUS SAVED>`. Bytes
 * outside of a frame (a background job between two commands) are dropped. The nonce is random and never shown to the
 * command, so output cannot contain it by chance or by guess. A flood is read slower, also one that a
 * background job writes between two commands, so that one `yes` does not take the event loop from the other rollouts.
 */
export class FrameReader {
  readonly #stream: Readable;
  #state: 'outside' | 'waiting' | 'inside' | 'ending' = 'outside';
  #begin: Buffer = Buffer.alloc(0);
  #end: Buffer = Buffer.alloc(0);
  #carry: Buffer = Buffer.alloc(0);
  #sink: FrameSink | null = null;
  #done: ((end: FrameEnd | null) => void) | null = null;
  /** What this frame, or all that came between frames, has cost so far; what is kept is free. */
  readonly #flood = { inside: 0, outside: 0 };
  #sincePause = 0;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('error', () => {});
  }

  /** Resolves at the frame's end; with null when the end is damaged. */
  expect(nonce: string, sink: FrameSink): Promise<FrameEnd | null> {
    this.#begin = Buffer.from(`<${nonce}>`);
    this.#end = Buffer.from(`</${nonce} `);
    this.#carry = Buffer.alloc(0);
    this.#state = 'waiting';
    this.#sink = sink;
    this.#flood.inside = 0;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  /** Stops collecting; what still comes is dropped. */
  forget(): void {
    this.#state = 'outside';
    this.#carry = Buffer.alloc(0);
    this.#sink = null;
    this.#done = null;
  }

  #take(chunk: Buffer): void {
    this.#slowDown(chunk.length);
    let rest = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = Buffer.alloc(0);
    if (this.#state === 'waiting') {
      rest = this.#seek(rest, this.#begin, null);
    }
    if (this.#state === 'inside') {
      rest = this.#seek(rest, this.#end, this.#sink);
    }
    if (this.#state === 'ending') {
      this.#finish(rest);
    }
  }

  /** Passes what lies before the marker to the sink and returns what lies behind it. */
  #seek(data: Buffer, marker: Buffer, sink: FrameSink | null): Buffer {
    const at = data.indexOf(marker);
    if (at >= 0) {
      sink?.push(data.subarray(0, at));
      this.#state = this.#state === 'waiting' ? 'inside' : 'ending';
      return data.subarray(at + marker.length);
    }
    const overlap = overlapAtEnd(data, marker);
    const whole = data.subarray(0, data.length - overlap);
    this.#carry = Buffer.from(data.subarray(data.length - overlap));
    sink?.push(whole);
    return Buffer.alloc(0);
  }

  #finish(data: Buffer): void {
    const close = data.indexOf('>');
    if (close < 0 && data.length < longestEnd) {
      this.#carry = Buffer.from(data);
      return;
    }
    const match = /^(\d{1,3}) ([01])$/.exec(data.toString('latin1', 0, Math.max(0, close)));
    const done = this.#done;
    this.forget();
    done?.(match === null ? null : { status: Number(match[1]), saved: match[2] === '1' });
  }

  #slowDown(bytes: number): void {
    const isInside = this.#state === 'inside' || this.#state === 'ending';
    const isKept = isInside && this.#sink?.omittedBytes === 0;
    if (isKept && bytes >= smallChunkBytes) {
      return;
    }
    const cost = Math.max(bytes, leastChunkCost);
    const place = isInside ? 'inside' : 'outside';
    this.#flood[place] += cost;
    if (this.#flood[place] < floodBytes) {
      return;
    }
    this.#sincePause += cost;
    if (this.#sincePause >= floodStepBytes) {
      this.#sincePause = 0;
      this.#stream.pause();
      setTimeout(() => this.#stream.resume(), floodPauseMs);
    }
  }
}

/** Length of the longest end of `data` with which `marker` begins, short of the whole marker. */
function overlapAtEnd(data: Buffer, marker: Buffer): number {
  const from = Math.max(0, data.length - marker.length + 1);
  for (let at = data.indexOf('<', from); at >= 0; at = data.indexOf('<', at + 1)) {
    if (data.subarray(at).equals(marker.subarray(0, data.length - at))) {
      return data.length - at;
    }
  }
  return 0;
}

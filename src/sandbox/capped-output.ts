/** Bytes of the head that a cap of `maxBytes` keeps; the rest of the cap is the tail. */
export function headBytes(maxBytes: number): number {
  return Math.floor(maxBytes * 0.4);
}

/**
 * Collects a stream in at most `maxBytes` of memory: the first 40 % and the last 60 % of the cap stay, what lay between
 * is dropped and counted while it arrives.
 */
export class CappedOutput {
  readonly #maxBytes: number;
  readonly #head: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** Bytes in the buffer; once it equals the cap, the part behind the head is a ring. */
  #used = 0;
  /** Where the ring's oldest byte is, counted from the head's end. */
  #start = 0;
  #omitted = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#head = headBytes(maxBytes);
  }

  /** Bytes that the cap removed so far. */
  get omittedBytes(): number {
    return this.#omitted;
  }

  push(chunk: Uint8Array): void {
    const fits = Math.min(chunk.length, this.#maxBytes - this.#used);
    if (fits > 0) {
      this.#reserve(this.#used + fits);
      this.#buffer.set(chunk.subarray(0, fits), this.#used);
      this.#used += fits;
    }
    if (fits < chunk.length) {
      this.#overwrite(chunk.subarray(fits));
    }
  }

  /** What was kept, head and tail joined. */
  toBuffer(): Buffer {
    if (this.#start === 0) {
      return this.#buffer.subarray(0, this.#used);
    }
    const ring = this.#buffer.subarray(this.#head, this.#used);
    return Buffer.concat([
      this.#buffer.subarray(0, this.#head),
      ring.subarray(this.#start),
      ring.subarray(0, this.#start),
    ]);
  }

  #reserve(bytes: number): void {
    if (bytes > this.#buffer.length) {
      const size = Math.min(this.#maxBytes, Math.max(bytes, this.#buffer.length * 2, 1_024));
      const grown = Buffer.allocUnsafeSlow(size);
      grown.set(this.#buffer.subarray(0, this.#used));
      this.#buffer = grown;
    }
  }

  #overwrite(bytes: Uint8Array): void {
    this.#omitted += bytes.length;
    const ring = this.#buffer.subarray(this.#head, this.#maxBytes);
    if (ring.length === 0) {
      return;
    }
    const kept = bytes.subarray(Math.max(0, bytes.length - ring.length));
    const first = Math.min(kept.length, ring.length - this.#start);
    ring.set(kept.subarray(0, first), this.#start);
    ring.set(kept.subarray(first), 0);
    this.#start = (this.#start + kept.length) % ring.length;
  }
}

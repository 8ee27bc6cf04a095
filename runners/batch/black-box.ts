/**
 * A few shared bytes that outlive a worker thread: which rollout last did something in it, and whether that rollout is
 * known to have ended the thread. Written by the lane, read by the main thread only after the lane's death: that order is
 * all the synchronisation it needs.
 */
export class BlackBox {
  readonly buffer: SharedArrayBuffer;
  /** The last rollout, and 1 when it is certain. Doubles: rollout ids do not fit into 32 bits. */
  readonly #cells: Float64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#cells = new Float64Array(buffer);
  }

  /** Notes the rollout that is about to act. */
  enter(rolloutId: number): void {
    this.#cells[0] = rolloutId;
  }

  /** Notes that this rollout is ending the thread, without doubt. */
  convict(rolloutId: number): void {
    this.#cells[0] = rolloutId;
    this.#cells[1] = 1;
  }

  /** The last rollout that acted, or null when none did. */
  get last(): { readonly rolloutId: number; readonly certain: boolean } | null {
    const [rolloutId = 0, certain] = this.#cells;
    return rolloutId === 0 ? null : { rolloutId, certain: certain === 1 };
  }
}

/** As much of an AbortSignal as most code needs: real ones have it, and so has a {@link LazyAbort}. */
export interface AbortLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * An AbortController whose signal is made when it is first asked for. Most calls never ask, and to make one costs more
 * than all else that a small call does.
 */
export class LazyAbort implements AbortLike {
  #listeners: (() => void)[] = [];
  #controller: AbortController | null = null;
  #aborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#aborted) {
        this.#controller.abort(this.#reason);
      }
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) {
      return;
    }
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) {
      listener();
    }
  }

  /** As with a real signal, nothing is called when it has aborted before. */
  addEventListener(_: 'abort', listener: () => void): void {
    if (!this.#aborted && !this.#listeners.includes(listener)) {
      this.#listeners.push(listener);
    }
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    // Mostly the last one, and hardly ever more than three.
    const index = this.#listeners.lastIndexOf(listener);
    if (index >= 0) {
      this.#listeners.splice(index, 1);
    }
  }
}

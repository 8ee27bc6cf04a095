/** An AbortController that is made when its signal is first asked for: most calls never ask, and making one is slow. */
export class LazyAbort {
  #controller: AbortController | null = null;
  #aborted: { readonly reason: unknown } | null = null;

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#aborted !== null) {
        this.#controller.abort(this.#aborted.reason);
      }
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}

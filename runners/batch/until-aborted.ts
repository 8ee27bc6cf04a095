/** Yields what a source yields until the signal aborts, also while the source lets one wait: then it is left alone. */
export async function* untilAborted<Value>(
  source: AsyncIterable<Value> | Iterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let onAbort = () => {};
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    while (!signal.aborted) {
      const next = Promise.resolve(iterator.next());
      // Once nobody waits for it any more, its failure is nobody's business.
      next.catch(() => {});
      const result = await Promise.race([next, aborted]);
      if (result === null || result.done === true) {
        return;
      }
      yield result.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: it returns no sooner than what it waits for.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** Begins a piece of work. One that throws before its first await rejects like any other. */
export function startWork<T>(work: () => Promise<T>): Promise<T> {
  try {
    // What a user's module returns may be no promise.
    return Promise.resolve(work());
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

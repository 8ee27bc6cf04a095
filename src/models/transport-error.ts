const causeDepth = 5;

/** A request that got no complete answer: the name or address, the connection or the body failed. */
export class TransportError extends Error {
  /** The code of the system or of the HTTP client, for example `ECONNREFUSED` or `UND_ERR_SOCKET`. */
  readonly code: string;
  /**
   * What was thrown. Not called `cause`: the SDK looks for the word "timeout" there, and would throw
   * an error of its own that says less.
   */
  readonly origin: unknown;

  constructor(origin: unknown) {
    const code = codeOf(origin);
    super(code);
    this.name = 'TransportError';
    this.code = code;
    this.origin = origin;
  }
}

/** The first code in a chain of causes. A refusal on several addresses is an AggregateError with a code. */
function codeOf(thrown: unknown): string {
  let error = thrown;
  for (let depth = 0; depth < causeDepth && error instanceof Error; depth++) {
    if ('code' in error && typeof error.code === 'string') {
      return error.code;
    }
    error = error.cause;
  }
  return thrown instanceof Error ? thrown.name : 'unknown';
}

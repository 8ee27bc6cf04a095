/** The headers of an answer, by name. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as a date.
 * Null when it does not say, or says something in the past: then the caller's own backoff is kinder than none.
 */
export function parseRetryAfter(headers: HeaderSource, now: number): number | null {
  const milliseconds = numberOf(headers.get('retry-after-ms'));
  if (milliseconds !== null) {
    return positive(milliseconds);
  }
  const text = headers.get('retry-after');
  const seconds = numberOf(text);
  if (seconds !== null) {
    return positive(seconds * 1000);
  }
  return text === null ? null : positive(Date.parse(text) - now);
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function positive(milliseconds: number): number | null {
  return Number.isFinite(milliseconds) && milliseconds > 0 ? Math.ceil(milliseconds) : null;
}

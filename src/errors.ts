const marker = Symbol.for('talaria.error');

/** What went wrong, in a word that code may branch on. Stable across releases. */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'data_set'
  | 'run_locked'
  | 'run_mismatch'
  | 'run_damaged'
  | 'store_failed'
  | 'sandbox_unavailable'
  | 'missing_dependency'
  /** The user gave up, before anything was begun. */
  | 'interrupted'
  | 'internal';

/** Options of {@link TalariaError}. */
export interface TalariaErrorOptions {
  readonly code: ErrorCode;
  /** What, where, the value, and what to do. Shown to the user as it is. */
  readonly message: string;
  readonly cause?: unknown;
}

/**
 * An error that is meant for the user: the message says what is wrong, where, and what to do.
 * Anything else that is thrown is a bug. Carries a marker, since `instanceof` fails across threads.
 */
export class TalariaError extends Error {
  readonly code: ErrorCode;
  readonly [marker] = true;

  constructor({ code, message, cause }: TalariaErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TalariaError';
    this.code = code;
  }

  static isInstance(value: unknown): value is TalariaError {
    return typeof value === 'object' && value !== null && marker in value;
  }
}

/** A usage or configuration error: exit code 2. */
export function usageError(message: string, cause?: unknown): TalariaError {
  return new TalariaError({ code: 'usage', message, cause });
}

/** The message of anything that was thrown, on one line, never empty. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : safeString(thrown);
  return text.trim() === '' ? (thrown instanceof Error ? thrown.name : 'unknown error') : text;
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be printed';
  }
}

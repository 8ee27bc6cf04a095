import { TalariaError } from '../errors.js';

/** Whether an error says that the sandbox is gone, itself or as the cause of another. Tools let such an error pass. */
export function isSandboxGone(thrown: unknown): boolean {
  let error = thrown;
  for (let depth = 0; depth < 8; depth += 1) {
    if (TalariaError.isInstance(error) && error.code === 'sandbox_unavailable') {
      return true;
    }
    if (!(error instanceof Error) && !TalariaError.isInstance(error)) {
      return false;
    }
    error = error.cause;
  }
  return false;
}

import { type ErrorCode, messageOf, TalariaError } from '../../src/errors.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import { exitCode } from './exit-codes.js';

/** What is printed of an error, and the exit code that follows from it. */
export interface RenderedError {
  readonly text: string;
  readonly code: number;
}

const codes: { readonly [code in ErrorCode]: number } = {
  usage: exitCode.usage,
  config: exitCode.usage,
  data_set: exitCode.usage,
  run_mismatch: exitCode.usage,
  run_locked: exitCode.usage,
  run_damaged: exitCode.usage,
  missing_dependency: exitCode.usage,
  sandbox_unavailable: exitCode.usage,
  store_failed: exitCode.stopped,
  interrupted: exitCode.interrupted,
  internal: exitCode.failed,
};

/** Errors meant for the user are shown as they are; anything else is a bug and says so. */
export function renderError(thrown: unknown, debug: boolean): RenderedError {
  const stack = debug && thrown instanceof Error ? `${safeForTerminal(thrown.stack ?? '')}\n` : '';
  const message = safeForTerminal(messageOf(thrown));
  if (TalariaError.isInstance(thrown) && thrown.code !== 'internal') {
    return { text: `talaria: ${message}\n${stack}`, code: codes[thrown.code] };
  }
  return {
    text:
      `talaria: ${message}\nThis is a bug in Talaria. ` +
      (debug
        ? `Please report it with this text.\n${stack}`
        : 'Run it again with TALARIA_DEBUG=1 for the details.\n'),
    code: exitCode.failed,
  };
}

import type { Output } from './command-context.js';

/** An {@link Output} that remembers whether something was lost. */
export interface ProcessOutput extends Output {
  /** Why a write failed, for example on a full disk; null when none did. */
  readonly failure: string | null;
}

/** Nobody reads any more: what is not written is not missed. EIO is a terminal that was closed. */
const readerGone = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'EIO']);

/**
 * A stream of the process as an {@link Output}. A reader that went away (`talaria export ... | head`) is no error: the
 * writer is told and stops.
 */
export function processOutput(stream: NodeJS.WriteStream): ProcessOutput {
  let closed = false;
  let failure: string | null = null;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (!readerGone.has(error.code ?? '')) {
      failure ??= error.message;
    }
  });
  return {
    get failure() {
      return failure;
    },
    write(text) {
      if (closed || text === '') {
        return Promise.resolve(!closed);
      }
      return new Promise((resolve) => {
        stream.write(text, (error) => resolve(error == null && !closed));
      });
    },
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 80,
    stream: stream.isTTY === true ? stream : null,
  };
}

import type { Output } from './command-context.js';

/**
 * A stream of the process as an {@link Output}. A reader that went away (`talaria export ... | head`) is no error: the
 * writer is told and stops.
 */
export function processOutput(stream: NodeJS.WriteStream): Output {
  let closed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') {
      process.exitCode = 1;
    }
  });
  return {
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

import { connect } from 'node:net';
import { usageError } from '../errors.js';

/** Failures that no retry mends: nothing is there. */
const nothingThere: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of this name',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
};

/**
 * Opens and closes a connection to a server, so that a run does not begin against an address where nothing listens. A
 * server that is only slow to accept passes: it is retried later.
 */
export async function checkListening(url: URL, timeoutMs = 5_000): Promise<void> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const problem = await connectionProblem(host, port, timeoutMs);
  if (problem !== null) {
    throw usageError(
      `Cannot reach the model at ${url.origin}: ${problem}. Start the server, or correct model.base_url.`,
    );
  }
}

function connectionProblem(host: string, port: number, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const settle = (problem: string | null) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => settle(null));
    socket.once('timeout', () => settle(null));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(problemOf(error)));
  });
}

/** A name with several addresses fails with one error for each of them. */
function problemOf(error: NodeJS.ErrnoException): string | null {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : '';
  return nothingThere[code] ?? null;
}

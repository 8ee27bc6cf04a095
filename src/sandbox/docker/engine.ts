import type Docker from 'dockerode';
import { messageOf, TalariaError } from '../../errors.js';
import { engineEnvironment } from '../host-environment.js';
import { type EngineAddress, engineAddress } from './engine-address.js';

let engine: Promise<Docker> | null = null;

/** The client of this thread. It takes 0.3 s to load, so only when it is needed. Rejects with `sandbox_unavailable`. */
export function dockerEngine(): Promise<Docker> {
  engine ??= connect();
  return engine;
}

async function connect(): Promise<Docker> {
  const address = engineAddress(engineEnvironment());
  const { default: Client } = await import('dockerode');
  return new Client(address);
}

/** Where the engine is, for messages. */
export function describeAddress(address: EngineAddress): string {
  return 'socketPath' in address
    ? address.socketPath
    : `${address.protocol}://${address.host}:${address.port}`;
}

/** The HTTP status with which the engine refused, or null when it did not answer. */
export function statusOf(thrown: unknown): number | null {
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : null;
}

/** What the engine said, without the client's words around it. */
export function engineMessage(thrown: unknown): string {
  const said = (thrown as { json?: { message?: unknown } | null } | null)?.json?.message;
  const text = typeof said === 'string' ? said : messageOf(thrown);
  return text
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .trim()
    .replace(/\.$/, '');
}

/** A failure of the engine as one of the sandbox. */
export function engineFailure(doing: string, thrown: unknown): TalariaError {
  return TalariaError.isInstance(thrown)
    ? thrown
    : new TalariaError({
        code: 'sandbox_unavailable',
        message: `${doing}: ${engineMessage(thrown)}.`,
        cause: thrown,
      });
}

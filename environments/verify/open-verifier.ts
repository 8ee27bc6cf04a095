import type { Clock } from '../../src/clock.js';
import { messageOf } from '../../src/errors.js';
import { closeWithin } from '../../src/rollout/close-within.js';
import { withinLimit } from '../../src/rollout/within-limit.js';
import type { Sandbox, SandboxSession, VerifyMode } from '../../src/sandbox/sandbox.js';

export interface VerifierInput {
  /** The agent's sandbox. */
  readonly sandbox: Sandbox;
  /** As configured; null for the default, `snapshot`. */
  readonly mode: VerifyMode | null;
  /** Makes a clean sandbox what the task says, as it was done for the agent. Only `fresh` needs it. */
  prepare(session: SandboxSession, signal: AbortSignal): Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface Verifier {
  /** What was really used. */
  readonly mode: VerifyMode;
  readonly sandbox: Sandbox;
}

/**
 * Opens a sandbox to score in. There is no falling back to a mode that an agent could have tampered with: what is not
 * possible here rejects, and its rewards are recorded as failed.
 */
export async function openVerifier(input: VerifierInput): Promise<Verifier> {
  const mode = input.mode ?? 'snapshot';
  const sandbox = await input.sandbox.verifier(mode).catch((thrown: unknown) => {
    throw new Error(
      `No verifier sandbox (verify: ${mode}): ${messageOf(thrown)} Other settings of verify are ${others(mode)}.`,
      { cause: thrown },
    );
  });
  if (mode === 'fresh') {
    await prepareOrClose(sandbox, input);
  }
  return { mode, sandbox };
}

const closeTimeoutMs = 30_000;

async function prepareOrClose(sandbox: Sandbox, input: VerifierInput): Promise<void> {
  const { clock, signal } = input;
  try {
    const prepared = await withinLimit((inner) => input.prepare(sandbox.session, inner.signal), {
      clock,
      signal,
      timeoutMs: null,
    });
    if (prepared.state !== 'done') {
      throw new Error('The verifier sandbox was given up before it was ready.');
    }
  } catch (thrown) {
    await closeWithin(sandbox, clock, closeTimeoutMs);
    throw thrown;
  }
}

function others(mode: VerifyMode): string {
  return (['fresh', 'snapshot', 'same'] satisfies VerifyMode[])
    .filter((other) => other !== mode)
    .join(' and ');
}

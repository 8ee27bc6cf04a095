import type { Clock } from '../src/clock.js';
import { messageOf } from '../src/errors.js';
import { closeWithin } from '../src/rollout/close-within.js';
import type { EmitEvent } from '../src/rollout/event.js';
import { withinLimit } from '../src/rollout/within-limit.js';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../src/sandbox/sandbox.js';
import { RolloutStop } from './rollout-stop.js';

export interface RolloutSandboxOptions {
  readonly spec: SandboxSpec;
  readonly sandboxFor: (image: string | null) => Promise<SandboxProvider>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: EmitEvent;
}

const closeTimeoutMs = 30_000;

/**
 * The life of one rollout's sandbox. A sandbox that is not there yet when the rollout is cancelled is closed as soon as
 * it comes, without anyone waiting for it; what hangs while it closes is left to the sweeper after 30 s.
 */
export class RolloutSandbox {
  readonly #options: RolloutSandboxOptions;
  #sandbox: Sandbox | null = null;
  #startedAt: number | null = null;

  constructor(options: RolloutSandboxOptions) {
    this.#options = options;
  }

  /** The open sandbox, or null when there is none. */
  get sandbox(): Sandbox | null {
    return this.#sandbox;
  }

  /** Rejects with a {@link RolloutStop}. */
  async open(): Promise<Sandbox> {
    const { spec, sandboxFor, signal, clock, emit } = this.#options;
    try {
      const limit = { clock, signal, timeoutMs: null };
      const provider = await withinLimit(() => sandboxFor(spec.image), limit);
      if (provider.state !== 'done') {
        throw RolloutStop.interrupted(signal);
      }
      this.#startedAt = clock.monotonic();
      emit({ type: 'sandbox-start', kind: provider.value.kind });
      const created = await withinLimit(({ signal }) => provider.value.create(spec, signal), {
        ...limit,
        onLate: (late) => closeWithin(late, clock, closeTimeoutMs),
      });
      if (created.state !== 'done') {
        throw RolloutStop.interrupted(signal);
      }
      this.#sandbox = created.value;
      return created.value;
    } catch (thrown) {
      throw thrown instanceof RolloutStop ? thrown : RolloutStop.sandbox(messageOf(thrown));
    }
  }

  /** Never rejects. Returns why it could not be closed, or null. */
  async close(): Promise<string | null> {
    const { clock, emit } = this.#options;
    const problem =
      this.#sandbox === null ? null : await closeWithin(this.#sandbox, clock, closeTimeoutMs);
    if (this.#startedAt !== null) {
      emit({ type: 'sandbox-end', seconds: (clock.monotonic() - this.#startedAt) / 1000 });
      this.#startedAt = null;
    }
    return problem;
  }
}

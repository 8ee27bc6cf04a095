import { messageOf, TalariaError } from '../src/errors.js';
import type { ExitReason } from '../src/rollout/exit-reason.js';
import { interruptionOf } from '../src/rollout/interruption.js';
import type { RecordedError } from '../src/rollout/record.js';

/** Ends a rollout from inside one of its stages. Caught by `rollout()`, which writes it into the record. */
export class RolloutStop extends Error {
  readonly exitReason: ExitReason;
  readonly error: RecordedError | null;

  constructor(exitReason: ExitReason, error: RecordedError | null) {
    super(error?.message ?? exitReason);
    this.name = 'RolloutStop';
    this.exitReason = exitReason;
    this.error = error;
  }

  /** The rollout's signal was aborted: it is cancelled, or past its wall limit. */
  static interrupted(signal: AbortSignal): RolloutStop {
    return new RolloutStop(interruptionOf(signal), null);
  }

  /** The task could not be prepared. Worth another try: it comes before the first model call, so nothing was paid. */
  static environment(message: string): RolloutStop {
    return new RolloutStop('environment_error', {
      class: 'environment_error',
      message,
      retryable: true,
    });
  }

  static sandbox(message: string): RolloutStop {
    return new RolloutStop('sandbox_unavailable', {
      class: 'sandbox_unavailable',
      message,
      retryable: true,
    });
  }

  /** A bug: of this program, or of a plug-in that broke its contract. The same would happen again. */
  static internal(message: string): RolloutStop {
    return new RolloutStop('environment_error', { class: 'internal', message, retryable: false });
  }

  /** What a failed call of a sandbox or of a user's code amounts to. `doing` says what was being done. */
  static from(thrown: unknown, doing: string): RolloutStop {
    if (thrown instanceof RolloutStop) {
      return thrown;
    }
    const message = `${doing}: ${messageOf(thrown)}`;
    return TalariaError.isInstance(thrown) && thrown.code === 'sandbox_unavailable'
      ? RolloutStop.sandbox(message)
      : RolloutStop.environment(message);
  }
}

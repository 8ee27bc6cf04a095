import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf } from '../../src/errors.js';
import type { BlackBox } from './black-box.js';

export interface StrayGuardOptions {
  readonly blackBox: BlackBox;
  /**
   * Whether to trace. It makes every promise dearer, and only a user's code leaves one unattended: a worker without such
   * code goes without.
   */
  readonly trace: boolean;
  /** A stray error of this rollout: it fails, and nothing else does. */
  onRolloutError(rolloutId: number, message: string): void;
  /** A stray error that no rollout can be named for. */
  onUnknownError(message: string): void;
}

/**
 * Traces what escapes from a rollout (a promise nobody awaited, an error in a timer, `process.exit` in a user's module)
 * back to it, so that a poison rollout hurts only itself. One per worker thread.
 */
export class StrayGuard {
  readonly #rollouts = new AsyncLocalStorage<number>();
  readonly #options: StrayGuardOptions;

  constructor(options: StrayGuardOptions) {
    this.#options = options;
  }

  /** Runs a rollout so that everything it starts can be traced to it. */
  run<Result>(rolloutId: number, body: () => Promise<Result>): Promise<Result> {
    return this.#options.trace ? this.#rollouts.run(rolloutId, body) : body();
  }

  /** Takes over the thread's last-resort handlers. */
  install(): void {
    const onStray = (thrown: unknown) => this.#report(thrown);
    process.on('uncaughtException', onStray);
    process.on('unhandledRejection', onStray);
    const exit = process.exit.bind(process);
    process.exit = (code?: number | string | null): never => {
      const rolloutId = this.#rollouts.getStore();
      if (rolloutId !== undefined) {
        this.#options.blackBox.convict(rolloutId);
      }
      return exit(code);
    };
  }

  #report(thrown: unknown): void {
    const rolloutId = this.#rollouts.getStore();
    if (rolloutId === undefined) {
      this.#options.onUnknownError(messageOf(thrown));
    } else {
      this.#options.onRolloutError(rolloutId, messageOf(thrown));
    }
  }
}

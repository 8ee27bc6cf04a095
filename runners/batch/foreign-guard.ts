import { messageOf, usageError } from '../../src/errors.js';
import { nameModules } from './foreign-code.js';

/**
 * Watches over a thread while users' modules are opened in it, or read: `process.exit` in one, or an error that leaves
 * it unattended, does not end the thread but becomes the {@link failure}, which says whose it is.
 */
export class ForeignGuard {
  /** Rejects with a usage error at the first such thing; never resolves. */
  readonly failure: Promise<never>;
  readonly #modules: readonly string[];
  readonly #exit = process.exit;
  readonly #onStray = (thrown: unknown) => this.#reportStray(thrown);
  #fail: (error: Error) => void = () => {};

  /** Begins at once. Without modules there is nothing to watch. */
  constructor(modules: readonly string[]) {
    this.#modules = modules;
    this.failure = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Who is interested races with it, or comes later.
    this.failure.catch(() => {});
    if (modules.length > 0) {
      process.on('uncaughtException', this.#onStray);
      process.on('unhandledRejection', this.#onStray);
      process.exit = (code) => this.#refuseExit(code);
    }
  }

  /** Waits for work that runs users' code, unless the guard fails first. */
  async race<T>(work: Promise<T>): Promise<T> {
    const done = await Promise.race([work, this.failure]);
    // A promise that was left alone is reported after the others have run.
    await Promise.race([new Promise((resolve) => setImmediate(resolve)), this.failure]);
    return done;
  }

  /** Gives the thread its own handlers back. */
  close(): void {
    process.off('uncaughtException', this.#onStray);
    process.off('unhandledRejection', this.#onStray);
    process.exit = this.#exit;
  }

  #reportStray(thrown: unknown): void {
    const stack = thrown instanceof Error ? thrown.stack : '';
    this.#fail(
      usageError(
        `${nameModules(this.#modules, stack)} let an error escape, most likely from a promise that nobody awaits: ${messageOf(thrown)}`,
        thrown,
      ),
    );
  }

  #refuseExit(code: unknown): never {
    const error = new Error('process.exit is not for modules');
    this.#fail(
      usageError(
        `${nameModules(this.#modules, error.stack)} called process.exit(${code ?? ''}). A module must throw an error instead, or return.`,
      ),
    );
    throw error;
  }
}

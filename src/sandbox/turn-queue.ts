/** Lets one caller at a time pass, in the order in which they came. */
export class TurnQueue {
  #last: Promise<void> = Promise.resolve();

  /** Runs `work` once all before it have ended. An abort before that gives up the turn and resolves with null. */
  async run<Value>(
    work: () => Promise<Value>,
    signals: readonly AbortSignal[],
  ): Promise<Value | null> {
    let release = () => {};
    const before = this.#last;
    const own = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last = before.then(() => own);
    if (!(await reached(before, signals))) {
      release();
      return null;
    }
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** True when the turn came, false when a signal aborted first. */
async function reached(turn: Promise<void>, signals: readonly AbortSignal[]): Promise<boolean> {
  if (signals.length === 0) {
    await turn;
    return true;
  }
  const aborted = () => signals.some((signal) => signal.aborted);
  let onAbort = () => {};
  const abort = new Promise<void>((resolve) => {
    onAbort = resolve;
  });
  for (const signal of signals) {
    signal.addEventListener('abort', onAbort, { once: true });
  }
  if (!aborted()) {
    await Promise.race([turn, abort]);
  }
  for (const signal of signals) {
    signal.removeEventListener('abort', onAbort);
  }
  return !aborted();
}

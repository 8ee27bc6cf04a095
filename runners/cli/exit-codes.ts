/** What the exit code says. */
export const exitCode = {
  done: 0,
  /** Done, but more failed than allowed; or a bug. */
  failed: 1,
  /** Usage or configuration. */
  usage: 2,
  /** Stopped early, resumable. */
  stopped: 3,
  /** Interrupted, resumable. */
  interrupted: 130,
} as const;

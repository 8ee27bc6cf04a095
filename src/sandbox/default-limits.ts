/** What a sandbox may use where the configuration and the task say nothing. */
export const defaultLimits = {
  memoryMb: 4_096,
  /** Processes and threads: more than a build or a test suite needs, and less than a host has. */
  processes: 1_024,
} as const;

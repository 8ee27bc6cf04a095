export type { BatchOptions, BatchResult } from './batch/batch.js';
export { type DryRunReport, dryRun } from './batch/dry-run.js';
export { runBatch } from './batch/run-batch.js';
export { resolveConfig } from './config/resolve-config.js';
export type { ResolvedConfig, RunConfig } from './config/resolved-config.js';
export type { Reporter, RunNotice, RunProgress, RunStart } from './reporters/reporter.js';
export { openRunReader } from './store/open-run-reader.js';
export type {
  FoundRollout,
  RecordFilter,
  RewardStats,
  RunReader,
  RunStats,
  TaskStats,
} from './store/run-reader.js';
export type { RunCounts } from './store/run-store.js';

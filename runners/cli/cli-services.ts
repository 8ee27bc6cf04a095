import type { Format } from '../../datasets/format.js';
import type { ExportRequest, ExportResult } from '../../datasets/write-export.js';
import type { BatchOptions, BatchResult } from '../batch/batch.js';
import type { DryRunReport } from '../batch/dry-run.js';
import type { ConfigCatalog } from '../config/config-catalog.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { RunReader } from '../store/run-reader.js';

/** The parts of Talaria that commands call. Loaded when they are needed; tests pass others. */
export interface CliServices {
  runBatch(options: BatchOptions): Promise<BatchResult>;
  /** `environment`: variables of the process, as for {@link runBatch}. */
  dryRun(config: ResolvedConfig, environment: BatchOptions['environment']): Promise<DryRunReport>;
  openRunReader(directory: string): Promise<RunReader>;
  loadFormat(name: string): Promise<Format>;
  writeExport(request: ExportRequest): Promise<ExportResult>;
  catalog(): Promise<ConfigCatalog>;
}

/** The real ones. */
export const realServices: CliServices = {
  async runBatch(options) {
    return (await import('../batch/run-batch.js')).runBatch(options);
  },
  async dryRun(config, environment) {
    const { dryRun } = await import('../batch/dry-run.js');
    return dryRun(config, environment);
  },
  async openRunReader(directory) {
    return (await import('../store/open-run-reader.js')).openRunReader(directory);
  },
  async loadFormat(name) {
    return (await import('../../datasets/load-format.js')).loadFormat(name);
  },
  async writeExport(request) {
    return (await import('../../datasets/write-export.js')).writeExport(request);
  },
  async catalog() {
    return (await import('../config/built-in-catalog.js')).builtInCatalog;
  },
};

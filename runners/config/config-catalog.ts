import type { Distribution } from '../../src/tools/distribution.js';

/** The names that a configuration may use, so that a misspelled one is found before anything runs. */
export interface ConfigCatalog {
  readonly providers: readonly string[];
  readonly environmentKinds: readonly string[];
  readonly rewards: readonly string[];
  formats(): Promise<readonly string[]>;
  toolsets(): Promise<readonly string[]>;
  /** Throws a TalariaError that names the nearest distribution. */
  loadDistribution(nameOrPath: string): Promise<Distribution>;
}

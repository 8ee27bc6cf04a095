import { parentPort, workerData } from 'node:worker_threads';
import { openEnvironment } from '../../environments/load-environment.js';
import { loadRewards } from '../../rewards/load-rewards.js';
import { messageOf } from '../../src/errors.js';
import { type ForeignConfig, foreignModules } from './foreign-code.js';
import { ForeignGuard } from './foreign-guard.js';

/** What the thread says, once: null when the modules opened, else why they do not. */
export type ProbeResult = string | null;

const config = workerData as ForeignConfig;
const guard = new ForeignGuard(foreignModules(config));
const opened = Promise.all([openEnvironment(config.environment), loadRewards(config.rewards)]);
const result: ProbeResult = await guard.race(opened).then(
  () => null,
  (thrown: unknown) => messageOf(thrown),
);
guard.close();
parentPort?.postMessage(result);

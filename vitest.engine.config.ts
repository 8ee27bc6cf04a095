import { spawnSync } from 'node:child_process';
import { defineConfig } from 'vitest/config';
import { whyNoDocker } from './test/helpers/docker-images.js';

/** The tests of every kind of sandbox, which this suite runs on those kinds that need something installed. */
const everyKind = ['exec', 'files', 'output', 'timeout', 'lifecycle', 'verifier'];

/** Tests that cannot run here, each with a printed line; an error where TALARIA_REQUIRE names docker. */
function cannotRun(): readonly string[] {
  const noRegistry =
    spawnSync('docker-registry', ['--version']).error === undefined
      ? null
      : 'docker-registry is not installed';
  const reasons = [
    ['test/engine/docker/**', whyNoDocker()],
    ['test/engine/docker/images.test.ts', noRegistry],
  ] as const;
  const missing = reasons.filter(([, reason]) => reason !== null);
  for (const [files, reason] of missing) {
    if ((process.env['TALARIA_REQUIRE'] ?? '').split(',').includes('docker')) {
      throw new Error(`TALARIA_REQUIRE names docker, and ${reason}`);
    }
    process.stderr.write(`skipped: ${files} (${reason})\n`);
  }
  return missing.map(([files]) => files);
}

/** The heavy suite: many kills, many rollouts, a full disk, a Docker engine. Needs bubblewrap, and root for the full disk. */
export default defineConfig({
  test: {
    include: [
      'test/engine/**/*.test.ts',
      ...everyKind.map((name) => `test/src/sandbox/${name}.test.ts`),
    ],
    exclude: [...cannotRun()],
    env: { TALARIA_SANDBOXES: 'docker,docker strict,docker busybox' },
    pool: 'forks',
    execArgv: ['--expose-gc'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});

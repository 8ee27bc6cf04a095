import { defineConfig } from 'vitest/config';

/** The tests of every kind of sandbox, which this suite runs on those kinds that need something installed. */
const everyKind = ['exec', 'files', 'output', 'timeout', 'lifecycle', 'verifier'];

/** The heavy suite: many kills, many rollouts, a full disk, a Docker engine. Needs bubblewrap, and root for the full disk. */
export default defineConfig({
  test: {
    include: [
      'test/engine/**/*.test.ts',
      ...everyKind.map((name) => `test/src/sandbox/${name}.test.ts`),
    ],
    env: { TALARIA_SANDBOXES: 'docker,docker strict,docker busybox' },
    pool: 'forks',
    execArgv: ['--expose-gc'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});

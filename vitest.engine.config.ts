import { defineConfig } from 'vitest/config';

/** The heavy suite: many kills, many rollouts, a full disk. Needs bubblewrap, and root for the full disk. */
export default defineConfig({
  test: {
    include: ['test/engine/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});

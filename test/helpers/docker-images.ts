import { spawnSync } from 'node:child_process';

/** Images of the tests, which `scripts/make-test-images.sh` makes: no registry is needed. */
export const testImages = {
  debian: 'talaria-test/debian',
  busybox: 'talaria-test/busybox',
} as const;

/** Why tests with a Docker engine cannot run here, or null. */
export function whyNoDocker(): string | null {
  const names = Object.values(testImages);
  const found = spawnSync('docker', ['image', 'inspect', ...names], { encoding: 'utf8' });
  if (found.error !== undefined) {
    return 'docker is not installed';
  }
  return found.status === 0
    ? null
    : `${found.stderr.trim().split('\n').at(-1)}; run scripts/make-test-images.sh`;
}

/** Runs the engine's own client. */
export function dockerClient(...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync('docker', args, { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`docker ${args.join(' ')}: ${stderr}`);
  }
  return stdout;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runInline } from '../../../dist/testing/index.js';
import { dockerClient, testImages } from '../../helpers/docker-images.js';

const port = 5_099;
const remote = `localhost:${port}/talaria-test/fetched`;
let registry: ChildProcess;
let folder: string;
let log = '';

/** A real registry, whose log tells who fetched what. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-registry-'));
  const config = join(folder, 'config.yml');
  writeFileSync(
    config,
    `version: 0.1\nstorage: { filesystem: { rootdirectory: ${folder}/data } }\nhttp: { addr: "localhost:${port}" }\n`,
  );
  registry = spawn('docker-registry', ['serve', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [registry.stdout, registry.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  await vi.waitUntil(
    () =>
      fetch(`http://localhost:${port}/v2/`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    { timeout: 20_000 },
  );
  dockerClient('tag', testImages.busybox, remote);
  dockerClient('push', remote);
}, 60_000);

afterAll(() => {
  registry.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"prompt": "Wait ${index}."}\n`).join('');

const config = (image: string) => `environment: { kind: prompts, path: prompts.jsonl }
model: { use: nop }
toolsets: { enabled: [terminal] }
sandbox: { kind: docker, image: "${image}" }
`;

const args = ['run', 'run.yaml', '--out', 'run'];

it('an image that is not here is fetched once, however many rollouts need it', async () => {
  dockerClient('rmi', '--force', remote);
  log = '';
  const result = await runInline({
    files: { 'prompts.jsonl': rows(12), 'run.yaml': config(remote) },
    args,
  });
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.stats().counts.byStatus).toMatchObject({ completed: 12 });
  const manifests = log
    .split('\n')
    .filter((line) => /"GET \/v2\/[^"]*\/manifests\/latest/.test(line));
  expect(manifests.length).toBeLessThanOrEqual(2);
  await result.remove();
});

it('an image that cannot be had is told before the run begins, with what to do', async () => {
  const result = await runInline({
    files: { 'prompts.jsonl': rows(3), 'run.yaml': config(`localhost:${port}/nobody/has-it`) },
    args,
  });
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(
    /has-it is not here and cannot be fetched: .*docker pull localhost/,
  );
  await result.remove();
});

it('an image of one task that cannot be had fails that task alone', async () => {
  const missing = `localhost:${port}/nobody/has-it:2`;
  const result = await runInline({
    files: {
      'prompts.jsonl': `{"prompt": "Without.", "image": "${missing}"}\n${rows(3)}`,
      'run.yaml': `${config(testImages.busybox)}run: { max_attempts: 1 }\n`,
    },
    args,
  });
  expect(result.exitCode).toBe(1);
  expect(result.stats().counts.byStatus).toMatchObject({ completed: 3, failed: 1 });
  expect(result.stats().byErrorClass).toEqual({ sandbox_unavailable: 1 });
  await result.remove();
});

import { onTestFinished } from 'vitest';
import { docker } from '../../src/sandbox/providers/docker.js';
import type { Sandbox, SandboxSpec } from '../../src/sandbox/sandbox.js';
import { specOf } from '../src/sandbox/sandbox-under-test.js';
import { testImages } from './docker-images.js';

/** A container of the Debian test image that is removed when the test ends. */
export async function openDocker(fields: Partial<SandboxSpec> = {}): Promise<Sandbox> {
  const spec = specOf({ image: testImages.debian, ...fields });
  const sandbox = await docker.create(spec, new AbortController().signal);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

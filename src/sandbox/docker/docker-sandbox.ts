import type { Container } from 'dockerode';
import { TalariaError } from '../../errors.js';
import { DiskWatch, tooMuchWritten } from '../disk-watch.js';
import { systemPath } from '../host-environment.js';
import type { Sandbox, SandboxSpec } from '../sandbox.js';
import { ShellSandbox } from '../shell-sandbox.js';
import { Slots } from '../slots.js';
import { type ContainerPlan, containerState, planContainer } from './container-plan.js';
import { ContainerProcesses } from './container-processes.js';
import { removeContainer, startContainer } from './containers.js';
import { copyChanges, copyDirectories } from './copy-changes.js';
import { dockerEngine } from './engine.js';
import { engineFreeBytes, writtenBytes } from './engine-disk.js';
import { EngineImages } from './images.js';

/** Of this thread. */
const images = new EngineImages();

/** More at once make each slower and none faster: measured, see ARCHITECTURE.md. */
const creations = new Slots(6);

/** What the containers of this thread write. */
const disks = new DiskWatch({ freeBytes: engineFreeBytes });
const megabyte = 1024 * 1024;

/** Fetches an image unless the engine has it. Rejects with `sandbox_unavailable`. */
export async function prepareImage(image: string): Promise<void> {
  await images.get(image);
}

/** Starts a container and a shell in it. Rejects with `sandbox_unavailable`, and leaves nothing behind when it does. */
export async function createDockerSandbox(
  spec: SandboxSpec,
  signal: AbortSignal,
): Promise<Sandbox> {
  return (await createContainer(spec, signal)).sandbox;
}

async function createContainer(
  spec: SandboxSpec,
  signal: AbortSignal,
): Promise<{ readonly sandbox: Sandbox; readonly container: Container }> {
  if (spec.image === null) {
    throw new TalariaError({
      code: 'sandbox_unavailable',
      message:
        'A docker sandbox needs an image, and neither the task nor the configuration names one. Set `sandbox.image`.',
    });
  }
  const engine = await dockerEngine();
  const plan = planContainer(spec, await images.get(spec.image));
  return creations.run(async () => {
    const container = await startContainer(engine, plan.options, signal);
    const processes = new ContainerProcesses({
      container,
      user: plan.user,
      controlUser: spec.profile === 'strict' ? plan.user : '0:0',
      path: plan.environment['PATH'] ?? systemPath,
      remove: () => removeContainer(container),
    });
    const unwatch = disks.add({
      limitBytes: spec.diskMb * megabyte,
      measure: () => writtenBytes(container),
      onExceeded: () => processes.giveUp(tooMuchWritten(spec.diskMb)),
    });
    const sandbox = new ShellSandbox({
      kind: 'docker',
      exposes: null,
      limits: plan.limits,
      home: plan.directory,
      scratch: containerState,
      commandTimeoutMs: spec.commandTimeoutMs,
      maxParallelExec: spec.maxParallelExec,
      makeStart: true,
      start: { directory: plan.directory, environment: plan.environment },
      stateDirectory: containerState,
      executionId: (number) => `${number}`,
      backend: processes,
      another: (files) =>
        files === 'none'
          ? createDockerSandbox(spec, new AbortController().signal)
          : snapshot(spec, container, plan),
      openShared: () => {},
      removeFiles: async () => unwatch(),
    });
    return { sandbox: await sandbox.open(signal), container };
  }, signal);
}

/** A clean container with the agent's changes in it. */
async function snapshot(spec: SandboxSpec, from: Container, plan: ContainerPlan): Promise<Sandbox> {
  const { sandbox, container } = await createContainer(spec, new AbortController().signal);
  try {
    if (plan.writable.length > 0) {
      await copyDirectories(from, container, plan.writable, plan.user);
    } else {
      await remove(sandbox, await copyChanges(from, container, plan.directory));
    }
    return sandbox;
  } catch (thrown) {
    await sandbox.close();
    throw thrown;
  }
}

async function remove({ session }: Sandbox, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) {
    return;
  }
  const { exitCode, stderr } = await session.exec('xargs -0 rm -rf --', {
    stdin: paths.map((path) => `${path}\0`).join(''),
    cwd: '/',
  });
  if (exitCode !== 0) {
    throw new TalariaError({
      code: 'sandbox_unavailable',
      message: `What the agent removed cannot be removed for the verifier: ${stderr.toString('utf8').trim()}.`,
    });
  }
}

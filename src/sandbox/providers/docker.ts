import type Docker from 'dockerode';
import type { Container, ImageInspectInfo } from 'dockerode';
import { messageOf, TalariaError } from '../../errors.js';
import { containerLabels, containerState, planContainer } from '../docker/container-plan.js';
import { ContainerProcesses } from '../docker/container-processes.js';
import {
  describeAddress,
  dockerEngine,
  engineFailure,
  engineMessage,
  statusOf,
} from '../docker/engine.js';
import { engineAddress } from '../docker/engine-address.js';
import { engineEnvironment, systemPath } from '../host-environment.js';
import type { Sandbox, SandboxProbe, SandboxProvider, SandboxSpec } from '../sandbox.js';
import { isOwnerDead, parseOwnerLabel } from '../sandbox-owner.js';
import { ShellSandbox } from '../shell-sandbox.js';
import { Slots } from '../slots.js';

/** One container of a Docker engine for each sandbox. */
export const docker: SandboxProvider = {
  kind: 'docker',
  description: 'A container of the task’s image; needs a Docker engine',
  probe,
  create: createSandbox,
  sweep,
};

/** More at once make each slower and none faster. */
const creations = new Slots(6);

async function probe(): Promise<SandboxProbe> {
  const where = () => describeAddress(engineAddress(engineEnvironment()));
  try {
    const engine = await dockerEngine();
    const { Version: version } = await engine.version();
    return { ok: true, version };
  } catch (thrown) {
    return {
      ok: false,
      reason: TalariaError.isInstance(thrown)
        ? messageOf(thrown)
        : `no Docker engine answers at ${where()}: ${engineMessage(thrown)}`,
      hint: 'Start it (systemctl start docker), see that this user may use it (docker info), or set DOCKER_HOST.',
    };
  }
}

async function createSandbox(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox> {
  const engine = await dockerEngine();
  const image = await inspectImage(engine, spec.image);
  const plan = planContainer(spec, image);
  return creations.run(async () => {
    const container = await startContainer(engine, plan.options, signal);
    const sandbox = new ShellSandbox({
      kind: 'docker',
      limits: plan.limits,
      home: plan.directory,
      scratch: containerState,
      commandTimeoutMs: spec.commandTimeoutMs,
      makeStart: true,
      start: { directory: plan.directory, environment: plan.environment },
      stateDirectory: containerState,
      executionId: (number) => `${number}`,
      backend: new ContainerProcesses({
        container,
        user: plan.user,
        controlUser: spec.profile === 'strict' ? plan.user : '0:0',
        path: plan.environment['PATH'] ?? systemPath,
        remove: () => removeContainer(container),
      }),
      another: async () => createSandbox(spec, new AbortController().signal),
      openShared: () => {},
      removeFiles: async () => {},
    });
    return sandbox.open(signal);
  }, signal);
}

async function inspectImage(engine: Docker, name: string | null): Promise<ImageInspectInfo> {
  if (name === null) {
    throw new TalariaError({
      code: 'sandbox_unavailable',
      message:
        'A docker sandbox needs an image, and neither the task nor the configuration names one. Set `sandbox.image`.',
    });
  }
  try {
    return await engine.getImage(name).inspect();
  } catch (thrown) {
    throw engineFailure(`The image ${name} cannot be used`, thrown);
  }
}

async function startContainer(
  engine: Docker,
  options: Docker.ContainerCreateOptions,
  signal: AbortSignal,
): Promise<Container> {
  let container: Container;
  try {
    container = await engine.createContainer(options);
  } catch (thrown) {
    throw engineFailure('A container cannot be made', thrown);
  }
  try {
    if (signal.aborted) {
      throw new Error('it was cancelled before it had started');
    }
    await container.start();
    return container;
  } catch (thrown) {
    await removeContainer(container);
    throw engineFailure('A container cannot be started', thrown);
  }
}

/** Resolves once it is gone; that it is not there is as good. */
async function removeContainer(container: Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (thrown) {
    const status = statusOf(thrown);
    if (status === 404) {
      return;
    }
    if (status === 409 && /in progress/.test(engineMessage(thrown))) {
      await container.wait({ condition: 'removed' }).catch(() => {});
      return;
    }
    throw engineFailure('A container cannot be removed', thrown);
  }
}

async function sweep(): Promise<number> {
  const engine = await dockerEngine();
  if (!(await engine.ping().catch(() => false))) {
    return 0;
  }
  const left = await engine.listContainers({
    all: true,
    filters: { label: [containerLabels.owner] },
  });
  const dead = left.filter(({ Labels: labels }) => {
    const owner = parseOwnerLabel(labels[containerLabels.owner] ?? '');
    return owner !== null && isOwnerDead(owner);
  });
  await Promise.all(dead.map(({ Id: id }) => removeContainer(engine.getContainer(id))));
  return dead.length;
}

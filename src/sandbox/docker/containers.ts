import type Docker from 'dockerode';
import type { Container } from 'dockerode';
import { isOwnerDead, parseOwnerLabel } from '../sandbox-owner.js';
import { containerLabels } from './container-plan.js';
import { engineFailure, engineMessage, statusOf } from './engine.js';

/** Makes and starts a container. Leaves none behind when it rejects, with `sandbox_unavailable`. */
export async function startContainer(
  engine: Docker,
  options: Docker.ContainerCreateOptions,
  signal: AbortSignal,
): Promise<Container> {
  let container: Container;
  try {
    signal.throwIfAborted();
    container = await engine.createContainer(options);
  } catch (thrown) {
    throw engineFailure('A container cannot be made', thrown);
  }
  try {
    signal.throwIfAborted();
    await container.start();
    return container;
  } catch (thrown) {
    await removeContainer(container);
    throw engineFailure('A container cannot be started', thrown);
  }
}

/** Resolves once it is gone; that it is not there is as good. Rejects with `sandbox_unavailable`. */
export async function removeContainer(container: Container): Promise<void> {
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

/** Removes the containers whose owner is dead, in whatever state they are, and no others. Returns how many. */
export async function removeOrphans(engine: Docker): Promise<number> {
  const labelled = await engine.listContainers({
    all: true,
    filters: { label: [containerLabels.owner] },
  });
  const orphans = labelled.filter(({ Labels: labels }) => {
    const owner = parseOwnerLabel(labels[containerLabels.owner] ?? '');
    return owner !== null && isOwnerDead(owner);
  });
  await Promise.all(orphans.map(({ Id: id }) => removeContainer(engine.getContainer(id))));
  return orphans.length;
}

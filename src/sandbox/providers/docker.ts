import { messageOf, TalariaError } from '../../errors.js';
import { removeOrphans } from '../docker/containers.js';
import { createDockerSandbox, prepareImage } from '../docker/docker-sandbox.js';
import { describeAddress, dockerEngine, engineMessage } from '../docker/engine.js';
import { engineAddress } from '../docker/engine-address.js';
import { isEngineThere } from '../docker/is-engine-there.js';
import { engineEnvironment } from '../host-environment.js';
import type { SandboxProbe, SandboxProvider } from '../sandbox.js';

/** One container of a Docker engine for each sandbox. */
export const docker: SandboxProvider = {
  kind: 'docker',
  description: 'A container of the task’s image; needs a Docker engine',
  probe,
  prepare: prepareImage,
  create: createDockerSandbox,
  sweep,
};

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

async function sweep(): Promise<number> {
  return (await isEngineThere()) ? removeOrphans(await dockerEngine()) : 0;
}

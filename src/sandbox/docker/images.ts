import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { ImageInspectInfo } from 'dockerode';
import { type Clock, systemClock } from '../../clock.js';
import { TalariaError } from '../../errors.js';
import { isJsonObject, parseJson } from '../../json.js';
import { engineEnvironment } from '../host-environment.js';
import { dockerEngine, engineMessage, statusOf } from './engine.js';

/** Why an image could not be had is remembered for so long, so that a thousand rollouts do not ask a registry for it. */
const failureMs = 300_000;
/** A download that does not move for so long has failed. */
const stalledMs = 120_000;

interface Known {
  readonly image: Promise<ImageInspectInfo>;
  /** When it failed. */
  failedAt: number | null;
}

/** The images of the engine: each is looked for, and fetched where it is missing, once, however many ask. */
export class EngineImages {
  readonly #known = new Map<string, Known>();
  readonly #engine: () => Promise<Docker>;
  readonly #clock: Clock;

  constructor(engine: () => Promise<Docker> = dockerEngine, clock: Clock = systemClock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** Rejects with `sandbox_unavailable`. */
  get(name: string): Promise<ImageInspectInfo> {
    const known = this.#known.get(name);
    if (known !== undefined && !this.#isStale(known)) {
      return known.image;
    }
    const entry: Known = { image: this.#load(name), failedAt: null };
    this.#known.set(name, entry);
    entry.image.catch(() => {
      entry.failedAt = this.#clock.monotonic();
    });
    return entry.image;
  }

  /** The engine says that it does not have the image any more. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  #isStale({ failedAt }: Known): boolean {
    return failedAt !== null && this.#clock.monotonic() - failedAt > failureMs;
  }

  async #load(name: string): Promise<ImageInspectInfo> {
    try {
      const engine = await this.#engine();
      return (await inspect(engine, name)) ?? (await this.#fetch(engine, name));
    } catch (thrown) {
      throw TalariaError.isInstance(thrown) ? thrown : cannotBeHad(name, thrown);
    }
  }

  async #fetch(engine: Docker, name: string): Promise<ImageInspectInfo> {
    const stream = await engine.pull(
      // Without a tag the engine would fetch them all.
      /[:@][^/]*$/.test(name) ? name : `${name}:latest`,
      { authconfig: credentialsFor(name) },
    );
    await new Promise<void>((resolve, reject) => {
      const stalled = () =>
        reject(new Error(`nothing came from the registry for ${stalledMs / 1000} s`));
      let cancel = this.#clock.after(stalledMs, stalled);
      engine.modem.followProgress(
        stream,
        (error) => {
          cancel();
          if (error) {
            reject(error);
          } else {
            resolve();
          }
        },
        () => {
          cancel();
          cancel = this.#clock.after(stalledMs, stalled);
        },
      );
    }).finally(() => (stream as { destroy?: () => void }).destroy?.());
    const image = await inspect(engine, name);
    if (image === null) {
      throw new Error('the engine fetched it and does not have it');
    }
    return image;
  }
}

async function inspect(engine: Docker, name: string): Promise<ImageInspectInfo | null> {
  try {
    return await engine.getImage(name).inspect();
  } catch (thrown) {
    if (statusOf(thrown) === 404) {
      return null;
    }
    throw thrown;
  }
}

function cannotBeHad(name: string, thrown: unknown): TalariaError {
  return new TalariaError({
    code: 'sandbox_unavailable',
    message: `The image ${name} is not here and cannot be fetched: ${engineMessage(thrown)}. See whether \`docker pull ${name}\` works, or make it with docker build, docker load or docker import.`,
    cause: thrown,
  });
}

const defaultRegistry = 'https://index.docker.io/v1/';

/** The name and password that `docker login` stored for an image's registry; those in a credential helper are not looked up. */
function credentialsFor(name: string): object | undefined {
  const first = name.split('/')[0] ?? '';
  const registry =
    name.includes('/') && (/[.:]/.test(first) || first === 'localhost') ? first : defaultRegistry;
  const { DOCKER_CONFIG, HOME } = engineEnvironment();
  try {
    const text = readFileSync(join(DOCKER_CONFIG ?? join(HOME ?? '/', '.docker'), 'config.json'));
    const parsed = parseJson(text.toString('utf8'));
    const auths = parsed.ok && isJsonObject(parsed.value) ? parsed.value['auths'] : null;
    const entry = isJsonObject(auths) ? auths[registry] : null;
    const auth = isJsonObject(entry) ? entry['auth'] : null;
    if (typeof auth !== 'string') {
      return undefined;
    }
    const [username, ...password] = Buffer.from(auth, 'base64').toString('utf8').split(':');
    return { username, password: password.join(':'), serveraddress: registry };
  } catch {
    return undefined;
  }
}

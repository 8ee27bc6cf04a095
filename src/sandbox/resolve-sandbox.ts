import { TalariaError, usageError } from '../errors.js';
import { sandboxProviderLoaders } from './providers/index.generated.js';
import type { SandboxConfig, SandboxProvider } from './sandbox.js';

/** Kinds of sandbox that this build has. */
export const sandboxKinds: readonly string[] = Object.keys(sandboxProviderLoaders);

/** Finds a provider by its kind; null when this build has none. A parameter for tests. */
export type LoadSandboxProvider = (kind: string) => Promise<SandboxProvider | null>;

/** The provider of a kind, from its file in `providers/`. */
export const loadSandboxProvider: LoadSandboxProvider = async (kind) => {
  const loaders: { readonly [kind: string]: (() => Promise<SandboxProvider>) | undefined } =
    sandboxProviderLoaders;
  return Object.hasOwn(loaders, kind) ? ((await loaders[kind]?.()) ?? null) : null;
};

/** Kinds that can start a task's image. */
const kindsWithImages: readonly string[] = ['docker'];

/**
 * The provider for a task with this image, or without one. `auto` is docker for an image, else bubblewrap if it works
 * here, else `local` with `trust: true`. Rejects with `sandbox_unavailable`, or with `usage` for `local` without trust.
 */
export async function resolveSandboxProvider(
  config: SandboxConfig,
  image: string | null,
  load: LoadSandboxProvider = loadSandboxProvider,
): Promise<SandboxProvider> {
  const kind = config.kind === 'auto' && image !== null ? 'docker' : config.kind;
  if (kind === 'auto') {
    return automatic(config, load);
  }
  if (image !== null && !kindsWithImages.includes(kind)) {
    throw unavailable(
      `The task names the image \`${image}\`, and a ${kind} sandbox has no images. Set \`sandbox.kind\` to docker, or remove the image.`,
    );
  }
  if (kind === 'local' && !config.trust) {
    throw usageError(
      'A local sandbox runs the model’s commands on this host without any isolation. Set `sandbox.trust: true` if that is meant, or `sandbox.kind: bubblewrap`.',
    );
  }
  const provider = await load(kind);
  if (provider === null) {
    throw unavailable(
      `${image === null ? '' : `The task names the image \`${image}\`, which needs docker. `}This build has no ${kind} sandbox; it has ${sandboxKinds.join(', ')}.`,
    );
  }
  return checked(provider);
}

async function automatic(
  config: SandboxConfig,
  load: LoadSandboxProvider,
): Promise<SandboxProvider> {
  const bubblewrap = await load('bubblewrap');
  const probe = await bubblewrap?.probe();
  if (bubblewrap !== null && probe?.ok) {
    return bubblewrap;
  }
  const local = config.trust ? await load('local') : null;
  if (local !== null) {
    return local;
  }
  const reason = probe === undefined || probe.ok ? 'this build does not have it' : probe.reason;
  throw unavailable(
    `No sandbox works here. bubblewrap: ${withoutStop(reason)}. Install it (apt-get install bubblewrap, dnf install bubblewrap; Linux only), or set \`sandbox.kind: local\` with \`sandbox.trust: true\` to run the model’s commands on this host without any isolation.`,
  );
}

async function checked(provider: SandboxProvider): Promise<SandboxProvider> {
  const probe = await provider.probe();
  if (!probe.ok) {
    throw unavailable(
      `A ${provider.kind} sandbox does not work here: ${withoutStop(probe.reason)}. ${probe.hint}`,
    );
  }
  return provider;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

function unavailable(message: string): TalariaError {
  return new TalariaError({ code: 'sandbox_unavailable', message });
}

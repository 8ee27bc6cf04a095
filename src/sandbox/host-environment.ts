/** What a sandbox, or the program that starts one, may know of the host's environment. */
const allowed = ['PATH', 'LANG', 'TZ', 'TERM'] as const;

/** What says where the container engine is: Docker's own names. No sandbox sees them. */
const engineNames = [
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'HOME',
] as const;

type Variables<Name extends string> = { readonly [name in Name]?: string };

/**
 * The variables of this process that say how to run programs here. An allow-list: keys and tokens never pass.
 */
export function hostEnvironment(): Variables<(typeof allowed)[number]> {
  return pick(allowed);
}

/** The variables of this process that say where the container engine is. */
export function engineEnvironment(): Variables<(typeof engineNames)[number]> {
  return pick(engineNames);
}

function pick<Name extends string>(names: readonly Name[]): Variables<Name> {
  const entries = names
    .map((name) => [name, process.env[name]] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Variables<Name>;
}

/** Where programs are on a common system. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

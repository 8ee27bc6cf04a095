import { posix } from 'node:path';

/** What a control group can limit. */
export const controllerNames = ['memory', 'pids', 'cpu'] as const;
export type ControllerName = (typeof controllerNames)[number];

/** Where a controller's groups are. */
export interface ControllerPlace {
  readonly version: 1 | 2;
  /** Where its tree is mounted. */
  readonly mount: string;
  /** This process's own group in it. */
  readonly own: string;
}

interface Mount {
  readonly path: string;
  /** The part of the tree that is mounted. */
  readonly root: string;
  readonly version: 1 | 2;
  readonly options: readonly string[];
}

/**
 * The places of the controllers, by the texts of /proc/self/mountinfo and /proc/self/cgroup. One of version 2 has all that
 * no tree of version 1 has; whether it really offers them, its own files tell. Pure.
 */
export function findControllers(
  mountinfo: string,
  ownGroups: string,
): { readonly [name in ControllerName]?: ControllerPlace } {
  const mounts = mountinfo
    .split('\n')
    .map(parseMount)
    .filter((mount) => mount !== null);
  const groups = ownGroups.split('\n').map((line) => line.split(':'));
  const found: { [name in ControllerName]?: ControllerPlace } = {};
  for (const name of controllerNames) {
    const first = mounts.find(({ version, options }) => version === 1 && options.includes(name));
    const mount = first ?? mounts.find(({ version }) => version === 2);
    const group = groups.find(([, names = '']) =>
      first === undefined ? names === '' : names.split(',').includes(name),
    );
    if (mount !== undefined && group !== undefined) {
      const path = group.slice(2).join(':');
      const inside = path === mount.root || path.startsWith(posix.join(mount.root, '/'));
      found[name] = {
        version: mount.version,
        mount: mount.path,
        own: inside ? posix.join(mount.path, path.slice(mount.root.length)) : mount.path,
      };
    }
  }
  return found;
}

/** proc(5): `ID PARENT MAJOR:MINOR ROOT PATH OPTIONS [FIELDS...] - TYPE SOURCE SUPER_OPTIONS` */
function parseMount(line: string): Mount | null {
  const [front = '', back] = line.split(' - ');
  const [type, , options = ''] = back?.split(' ') ?? [];
  const [, , , root, path] = front.split(' ');
  if (root === undefined || path === undefined || (type !== 'cgroup' && type !== 'cgroup2')) {
    return null;
  }
  return { path, root, version: type === 'cgroup' ? 1 : 2, options: options.split(',') };
}

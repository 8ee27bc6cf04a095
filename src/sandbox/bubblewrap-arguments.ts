import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sandboxAccount, sharedEtcDirectories } from './bubblewrap-etc.js';
import { systemPath } from './host-environment.js';
import { dispatcherArguments, dispatcherEnvironment } from './shell-dispatcher.js';

/** What a bubblewrap sandbox is made of. */
export interface BubblewrapPlan {
  /** Host directory with `work`, `home`, `tmp` and `cwd`. */
  readonly directory: string;
  /** Host directory to be /etc. */
  readonly etcDirectory: string;
  /** Host directory to be /run, which no other sandbox shares. */
  readonly runDirectory: string;
  /** Host directory for the dispatcher's files, with `input` in it. */
  readonly stateDirectory: string;
  /** Where `cwd` is mounted, or null when the shell starts below one of the others. */
  readonly cwdMount: string | null;
  readonly network: 'none' | 'host';
  /** Whether fd 6 gives a filter of system calls. */
  readonly filters: boolean;
  /** Whether it waits for something to read on fd 7 before it runs anything. */
  readonly waits: boolean;
  /** Processes and threads that a sandbox may have; null where the kernel would count those of others in. */
  readonly processes: number | null;
  /** Path of the running Node, or null when the sandbox's user may not reach it. */
  readonly execPath: string | null;
}

export const bubblewrapPaths = {
  work: '/work',
  home: '/home/agent',
  tmp: '/tmp',
  state: '/run/talaria',
} as const;

const systemDirectories = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'] as const;

/** Directories in front of the system's PATH, for a Node that is installed elsewhere. */
export function bubblewrapPath(execPath: string | null): string {
  return execPath === null || execPath.startsWith('/usr/')
    ? systemPath
    : `${nodeMount}/bin:${systemPath}`;
}

/** Arguments of `bwrap` that start a dispatcher as process 1. */
export function bubblewrapArguments(plan: BubblewrapPlan): string[] {
  const { directory, stateDirectory, cwdMount, network, filters, processes, execPath } = plan;
  const settings = dispatcherEnvironment({
    stateDirectory: bubblewrapPaths.state,
    path: bubblewrapPath(execPath),
    processes,
  });
  return [
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...['--unshare-user', '--uid', `${sandboxAccount.id}`, '--gid', `${sandboxAccount.id}`],
    ...['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--as-pid-1'],
    ...['--cap-drop', 'ALL', '--clearenv', '--info-fd', '5'],
    ...(filters ? ['--seccomp', '6'] : []),
    ...(plan.waits ? ['--block-fd', '7'] : []),
    ...['--ro-bind', '/usr', '/usr'],
    ...systemDirectories.flatMap(systemDirectory),
    ...['--ro-bind', plan.etcDirectory, '/etc'],
    ...sharedEtcDirectories().flatMap((name) => ['--ro-bind', `/etc/${name}`, `/etc/${name}`]),
    ...parents('/home/x', '/opt/node/bin/x', '/opt/node/lib/x', cwdMount),
    ...nodeArguments(execPath),
    ...['--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--tmpfs', '/dev/shm'],
    // What is stored in memory is no process's own, and outlives those that are ended to get some back.
    ...['--remount-ro', '/dev', '--bind', plan.runDirectory, '/run'],
    ...['--bind', stateDirectory, bubblewrapPaths.state],
    // A mount of its own cannot be replaced by a link.
    ...['--bind', join(stateDirectory, 'input'), `${bubblewrapPaths.state}/input`],
    ...['--dir', '/var', '--symlink', '/tmp', '/var/tmp', '--symlink', '/run', '/var/run'],
    ...['--bind', join(directory, 'work'), bubblewrapPaths.work],
    ...['--bind', join(directory, 'home'), bubblewrapPaths.home],
    ...['--bind', join(directory, 'tmp'), bubblewrapPaths.tmp],
    ...(cwdMount === null ? [] : ['--bind', join(directory, 'cwd'), cwdMount]),
    ...['--remount-ro', '/', '--chdir', '/'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--', '/bin/sh', ...dispatcherArguments],
  ];
}

const nodeMount = '/opt/node';

/** A Node outside of /usr: the program and its packages, and nothing else of where it lies, which may be a home. */
function nodeArguments(execPath: string | null): string[] {
  if (execPath === null || execPath.startsWith('/usr/')) {
    return [];
  }
  const modules = join(dirname(dirname(execPath)), 'lib', 'node_modules');
  const packages = existsSync(join(modules, 'npm'))
    ? [
        ...['--ro-bind', modules, `${nodeMount}/lib/node_modules`],
        ...['--symlink', '../lib/node_modules/npm/bin/npm-cli.js', `${nodeMount}/bin/npm`],
        ...['--symlink', '../lib/node_modules/npm/bin/npx-cli.js', `${nodeMount}/bin/npx`],
      ]
    : [];
  return ['--ro-bind', execPath, `${nodeMount}/bin/node`, ...packages];
}

/** What bubblewrap itself makes above a mount is closed to others. */
function parents(...paths: readonly (string | null)[]): string[] {
  const directories = new Set<string>();
  for (const path of paths) {
    for (let above = dirname(path ?? '/'); above !== '/'; above = dirname(above)) {
      directories.add(above);
    }
  }
  return [...directories].sort().flatMap((path) => ['--dir', path]);
}

function systemDirectory(name: string): string[] {
  const path = `/${name}`;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    return [];
  }
  return stats.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}

import type { ContainerCreateOptions, ImageInspectInfo } from 'dockerode';
import { defaultLimits } from '../default-limits.js';
import { systemPath } from '../host-environment.js';
import type { SandboxSpec } from '../sandbox.js';
import { formatOwnerLabel, ownerLabel } from '../sandbox-owner.js';

/** Names of the labels by which a later start finds what a crash left. */
export const containerLabels = {
  owner: 'talaria.owner',
  run: 'talaria.run',
} as const;

export interface ContainerPlan {
  readonly options: ContainerCreateOptions;
  /** Whom the agent's commands run as, in Docker's form `user:group`. */
  readonly user: string;
  readonly environment: { readonly [name: string]: string };
  readonly directory: string;
  readonly home: string;
  /** Directories in memory that the agent may write to; empty where the whole system is writable. */
  readonly writable: readonly string[];
  readonly limits: { readonly [name: string]: boolean };
}

export const containerState = '/run/talaria';
const workDirectory = '/work';
const nobody = 65_534;
const megabyte = 1024 * 1024;

/** What package managers and services of an image need; no way to the host is among them. */
const rootCapabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
  'SYS_CHROOT',
];

/**
 * Process 1 of the container. Nothing inside can kill it, so that an agent's `kill -9 -1` does not end the container, and it
 * reaps what nobody waits for. A shell that cannot fork ends: it then begins anew.
 */
const initScript =
  'trap : HUP INT QUIT USR1 USR2; trap "exit 0" TERM; trap \'exec /bin/sh -c "$TALARIA_INIT"\' EXIT; while :; do sleep 3600; done';

/** The container of a sandbox. Pure. */
export function planContainer(spec: SandboxSpec, image: ImageInspectInfo): ContainerPlan {
  const { profile } = spec;
  const strict = profile === 'strict';
  const imageDirectory = image.Config.WorkingDir;
  const directory =
    spec.cwd ?? (imageDirectory === '' || imageDirectory === '/' ? workDirectory : imageDirectory);
  const user = strict
    ? `${nobody}:${nobody}`
    : profile === 'root'
      ? '0:0'
      : image.Config.User || '0:0';
  const home = strict ? '/home/agent' : user === '0:0' ? '/root' : '/tmp';
  const tmpfs = strict ? strictTmpfs(directory, user) : {};
  const memory = (spec.memoryMb ?? defaultLimits.memoryMb) * megabyte;
  return {
    user,
    directory,
    home,
    environment: {
      PATH: systemPath,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      HOME: home,
      ...variablesOf(image.Config.Env ?? []),
      ...spec.env,
    },
    writable: Object.keys(tmpfs).filter((path) => path !== '/run'),
    limits: {
      network: spec.network === 'none',
      memory_mb: true,
      cpus: spec.cpus !== null,
      pids: true,
      disk_mb: true,
      read_only_system: strict,
    },
    options: {
      Image: image.Id,
      // Its own would run beside the agent, and may not end.
      Entrypoint: ['/bin/sh', '-c', initScript],
      Cmd: [],
      Env: [`TALARIA_INIT=${initScript}`],
      Hostname: 'sandbox',
      User: '0:0',
      WorkingDir: '/',
      OpenStdin: false,
      Tty: false,
      StopSignal: 'SIGKILL',
      Healthcheck: { Test: ['NONE'] },
      Labels: {
        [containerLabels.owner]: formatOwnerLabel(ownerLabel(spec.owner)),
        [containerLabels.run]: spec.owner.runId,
      },
      HostConfig: {
        NetworkMode: spec.network === 'none' ? 'none' : 'bridge',
        Memory: memory,
        MemorySwap: memory,
        ...(spec.cpus === null ? {} : { NanoCpus: Math.round(spec.cpus * 1e9) }),
        PidsLimit: defaultLimits.processes,
        IpcMode: 'private',
        ShmSize: 64 * megabyte,
        OomScoreAdj: 500,
        AutoRemove: false,
        LogConfig: { Type: 'none', Config: {} },
        ...(spec.runtime === null ? {} : { Runtime: spec.runtime }),
        ...(profile === 'engine-default'
          ? {}
          : {
              CapDrop: ['ALL'],
              CapAdd: strict ? [] : rootCapabilities,
              SecurityOpt: ['no-new-privileges'],
            }),
        ReadonlyRootfs: strict,
        Tmpfs: { ...tmpfs, ...stateTmpfs(user) },
      },
    },
  };
}

/** The shell's own files, which are never an image's. */
function stateTmpfs(user: string): { [path: string]: string } {
  const owner = ownerOption(user);
  return { [containerState]: `size=64m,mode=${owner === '' ? '1777' : '0700'}${owner}` };
}

/**
 * Where the sandbox may write although its system is read-only. The engine keeps the mode of a directory that the image
 * has: only its owner can count on it.
 */
function strictTmpfs(directory: string, user: string): { [path: string]: string } {
  const open = `rw,exec,nosuid,nodev,mode=1777${ownerOption(user)}`;
  const own = `rw,exec,nosuid,nodev,mode=0755${ownerOption(user)}`;
  const fixed = {
    '/tmp': `${open},size=1g`,
    '/var/tmp': `${open},size=256m`,
    '/run': `${open},size=64m`,
    '/home/agent': `${own},size=1g`,
  };
  const covered = Object.keys(fixed).some(
    (path) => directory === path || directory.startsWith(`${path}/`),
  );
  return { ...fixed, ...(covered ? {} : { [directory]: `${own},size=2g` }) };
}

function ownerOption(user: string): string {
  const [uid, gid] = user.split(':');
  return /^\d+$/.test(uid ?? '') ? `,uid=${uid},gid=${gid ?? uid}` : '';
}

function variablesOf(entries: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(
    entries
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)])
      .filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name ?? '')),
  );
}

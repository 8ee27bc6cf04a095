import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { messageOf, TalariaError } from '../../errors.js';
import { bubblewrapArguments, bubblewrapPath, bubblewrapPaths } from '../bubblewrap-arguments.js';
import { ControlGroup, sweepControlGroups } from '../control-group.js';
import { defaultLimits } from '../default-limits.js';
import { DiskWatch, freeBytesAt, tooMuchWritten, treeBytes } from '../disk-watch.js';
import { hostEnvironment, systemPath } from '../host-environment.js';
import { HostProcesses } from '../host-processes.js';
import { killProcesses, send } from '../kill-processes.js';
import { processLimit } from '../process-limit.js';
import {
  allProcesses,
  descendantsOf,
  readArguments,
  readVariables,
  sightDescendants,
} from '../process-table.js';
import type { Sandbox, SandboxProbe, SandboxProvider, SandboxSpec } from '../sandbox.js';
import { ownerOfPath, SandboxDirectory, sweepSandboxDirectories } from '../sandbox-directory.js';
import { currentOwner, isOwnerDead } from '../sandbox-owner.js';
import { isReachableForAll, sandboxUser } from '../sandbox-user.js';
import { type HeldEtc, holdEtc } from '../shared-etc.js';
import { ShellSandbox } from '../shell-sandbox.js';
import { spawnShell } from '../spawn-shell.js';
import { StateDirectory } from '../state-directory.js';
import { systemCallFilter } from '../system-call-filter.js';

/**
 * Sandboxes of bubblewrap: namespaces of the host's own read-only system, without a daemon and without an image. Memory,
 * processors and processes are limited by a control group where this process may make one; else that is reported.
 */
export const bubblewrap: SandboxProvider = {
  kind: 'bubblewrap',
  description: 'The host’s own system, read-only, in Linux namespaces; starts in milliseconds',
  probe,
  create: (spec, signal) => createSandbox(spec, newDirectory(spec), true, signal),
  sweep,
};

const hint =
  'Install it (apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap); in a container it also needs the right to make namespaces. Or use `sandbox: { kind: docker }`, or `{ kind: local, trust: true }`, which isolates nothing.';

/** What the sandboxes of this thread write. */
const disks = new DiskWatch({ freeBytes: () => freeBytesAt(tmpdir()) });
const megabyte = 1024 * 1024;

const directories = ['work', 'home', 'tmp', 'cwd'] as const;

/** Where a directory of the task's own cannot be mounted. */
const systemRoots = /^\/(usr|bin|sbin|lib\w*|etc|proc|dev|run|sys|var|opt\/node)(\/|$)|^\/$/;

async function probe(): Promise<SandboxProbe> {
  try {
    const version = await bubblewrapVersion();
    const spec: SandboxSpec = {
      image: null,
      cwd: null,
      network: 'none',
      memoryMb: null,
      cpus: null,
      diskMb: 1_024,
      profile: 'root',
      runtime: null,
      commandTimeoutMs: 30_000,
      maxParallelExec: 1_000,
      env: {},
      owner: currentOwner('probe'),
    };
    const sandbox = await bubblewrap.create(spec, new AbortController().signal);
    const result = await sandbox.session.exec('echo ok', { timeoutMs: 10_000 });
    await sandbox.close();
    return result.stdout.toString('latin1') === 'ok\n'
      ? { ok: true, version }
      : { ok: false, reason: `a test command ended with code ${result.exitCode}`, hint };
  } catch (thrown) {
    return { ok: false, reason: messageOf(thrown), hint };
  }
}

function newDirectory(spec: SandboxSpec): SandboxDirectory {
  const directory = new SandboxDirectory(spec.owner, directories, sandboxUser());
  openTemporary(directory);
  return directory;
}

/** A mount of its own in the sandbox: its mode can be changed from in there, but it cannot be replaced by a link. */
function openTemporary({ path }: SandboxDirectory): void {
  chmodSync(join(path, 'tmp'), 0o1777);
}

async function createSandbox(
  spec: SandboxSpec,
  directory: SandboxDirectory,
  ownsFiles: boolean,
  signal: AbortSignal,
): Promise<Sandbox> {
  let unwatch = () => {};
  let etc: HeldEtc | null = null;
  const removeFiles = async () => {
    unwatch();
    await etc?.release();
    if (ownsFiles) {
      await directory.remove();
    }
  };
  let cwdMount: string | null;
  let runDirectory: string;
  try {
    cwdMount = mountOf(spec.cwd);
    runDirectory = directory.addShared('run');
    etc = holdEtc(spec.owner, spec.network);
  } catch (thrown) {
    await removeFiles();
    throw thrown;
  }
  const uid = sandboxUser();
  const execPath =
    uid === undefined || isReachableForAll(process.execPath) ? process.execPath : null;
  const state = new StateDirectory(directory.newPath('state'), uid);
  const processes = processLimit(release());
  const group = new ControlGroup(spec.owner, {
    memoryMb: spec.memoryMb ?? defaultLimits.memoryMb,
    processes: defaultLimits.processes,
    cpus: spec.cpus,
  });
  const filter = systemCallFilter(process.arch);
  const args = bubblewrapArguments({
    filters: filter !== null,
    waits: true,
    processes,
    directory: directory.path,
    etcDirectory: etc.path,
    stateDirectory: state.path,
    runDirectory,
    cwdMount,
    network: spec.network,
    execPath,
  });
  const executionId = (number: number) => `${number}`;
  const backend = new HostProcesses({
    state,
    executionId,
    spawn: () =>
      spawnShell({
        command: 'bwrap',
        args,
        sixth: filter,
        admit: (pid) => group.add(pid),
        uid,
        cwd: '/',
        env: { PATH: hostEnvironment().PATH ?? systemPath },
        outlivesLauncher: false,
        destroy: (initPid, launcher) => {
          // Process 1 of the namespace takes all others with it, and the launcher ends after it.
          if (initPid === null || !send(initPid, 'SIGKILL')) {
            killLauncher(launcher);
          }
        },
      }),
    search: (shell) => () => (shell.shellPid === null ? [] : sightDescendants(shell.shellPid)),
    executionOf: (pid) => readVariables(pid, ['TALARIA_EXEC_ID']).get('TALARIA_EXEC_ID') ?? null,
    group,
    shellHoldsAll: true,
  });
  if (ownsFiles) {
    unwatch = disks.add({
      limitBytes: spec.diskMb * megabyte,
      measure: () => treeBytes(directory.path),
      onExceeded: () => backend.giveUp(tooMuchWritten(spec.diskMb)),
    });
  }
  const sandbox = new ShellSandbox({
    kind: 'bubblewrap',
    exposes: null,
    limits: {
      network: spec.network === 'none',
      memory_mb: group.enforced.memory_mb,
      cpus: group.enforced.cpus,
      pids: group.enforced.pids || processes !== null,
      disk_mb: true,
      read_only_system: true,
    },
    home: bubblewrapPaths.work,
    scratch: bubblewrapPaths.state,
    commandTimeoutMs: spec.commandTimeoutMs,
    maxParallelExec: spec.maxParallelExec,
    makeStart: ownsFiles && spec.cwd !== null && spec.cwd !== cwdMount,
    start: {
      directory: spec.cwd ?? bubblewrapPaths.work,
      environment: {
        PATH: bubblewrapPath(execPath),
        HOME: bubblewrapPaths.home,
        LANG: 'C.UTF-8',
        TERM: 'dumb',
        ...spec.env,
      },
    },
    stateDirectory: bubblewrapPaths.state,
    executionId,
    backend,
    another: async (files) => {
      if (files === 'none') {
        return bubblewrap.create(spec, new AbortController().signal);
      }
      openTemporary(directory);
      return createSandbox(spec, directory, false, new AbortController().signal);
    },
    // An agent that closed /tmp would else be left without a score, in place of a bad one.
    openShared: () => openTemporary(directory),
    removeFiles,
  });
  return sandbox.open(signal);
}

/** A child that waits for its launcher's word does not notice that the launcher is gone: it goes first. */
function killLauncher(launcher: ChildProcess): void {
  if (launcher.exitCode !== null || launcher.signalCode !== null) {
    return;
  }
  launcher.kill('SIGSTOP');
  for (const { pid } of launcher.pid === undefined ? [] : descendantsOf(launcher.pid)) {
    send(pid, 'SIGKILL');
  }
  launcher.kill('SIGKILL');
}

/**
 * Ends what is left of owners that were killed while a sandbox of theirs started, then removes their directories. A child
 * of bwrap that still waits for its launcher's word does not notice that the launcher is gone, and waits for ever.
 */
async function sweep(): Promise<number> {
  await killProcesses({
    exact: false,
    wholeGroups: false,
    search: () =>
      allProcesses()
        .filter(({ name }) => name === 'bwrap')
        .filter(({ pid }) => {
          const label = readArguments(pid)
            .map(ownerOfPath)
            .find((owner) => owner !== null);
          return label !== undefined && isOwnerDead(label);
        }),
  });
  sweepControlGroups();
  return sweepSandboxDirectories();
}

/** Where the task's directory has to be mounted; null when it lies in a directory that is there anyway. */
function mountOf(cwd: string | null): string | null {
  if (cwd === null) {
    return null;
  }
  const path = posix.normalize(cwd);
  const { work, home, tmp } = bubblewrapPaths;
  if ([work, home, tmp].some((root) => path === root || path.startsWith(`${root}/`))) {
    return null;
  }
  if (!posix.isAbsolute(path) || path === '/home' || systemRoots.test(path)) {
    throw new TalariaError({
      code: 'sandbox_unavailable',
      message: `A bubblewrap sandbox cannot start in \`${cwd}\`: the system is read-only there. Use a directory like /app, or an image with docker.`,
    });
  }
  return path;
}

function bubblewrapVersion(): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bwrap', ['--version'], {
      env: { PATH: hostEnvironment().PATH ?? systemPath },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error('bwrap is not installed') : error),
    );
    child.once('close', () => resolve(text.trim().replace(/^bubblewrap\s+/, '') || 'unknown'));
  });
}

import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hostEnvironment, systemPath } from '../host-environment.js';
import { HostProcesses } from '../host-processes.js';
import { killProcesses, send } from '../kill-processes.js';
import { LabelledProcesses } from '../labelled-processes.js';
import { allProcesses, readVariables, uptimeTicks } from '../process-table.js';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../sandbox.js';
import { SandboxDirectory, sweepSandboxDirectories } from '../sandbox-directory.js';
import { formatOwnerLabel, isOwnerDead, ownerLabel, parseOwnerLabel } from '../sandbox-owner.js';
import { dispatcherArguments, dispatcherEnvironment } from '../shell-dispatcher.js';
import { ShellSandbox } from '../shell-sandbox.js';
import { spawnShell } from '../spawn-shell.js';
import { StateDirectory } from '../state-directory.js';

/** A plain shell in a directory of its own on the host. It isolates nothing, and its limits say so. */
export const local: SandboxProvider = {
  kind: 'local',
  description: 'A directory on this host; isolates nothing, and only with trust: true',
  probe: async () => ({ ok: true, version: 'sh' }),
  create: (spec, signal) =>
    createSandbox(spec, new SandboxDirectory(spec.owner, directories), true, signal),
  sweep,
};

const directories = ['work', 'home', 'tmp'] as const;
/** Whose a process is, and of which sandbox: in the environment of every process that does not clear it. */
const ownerVariable = 'TALARIA_SANDBOX';
const sandboxVariable = 'TALARIA_SANDBOX_ID';
const executionVariable = 'TALARIA_EXEC_ID';

async function createSandbox(
  spec: SandboxSpec,
  directory: SandboxDirectory,
  ownsFiles: boolean,
  signal: AbortSignal,
): Promise<Sandbox> {
  const id = randomBytes(8).toString('hex');
  // The clock of process starts is coarse.
  const sinceTicks = uptimeTicks() - 2;
  const root = realpathSync(directory.path);
  const host = hostEnvironment();
  const path = host.PATH ?? systemPath;
  const stateDirectory = join(root, `state-${id}`);
  const labels = {
    [ownerVariable]: formatOwnerLabel(ownerLabel(spec.owner)),
    [sandboxVariable]: id,
  };
  const executionId = (number: number) => `${id}.${number}`;
  const backend = new HostProcesses({
    state: new StateDirectory(stateDirectory),
    executionId,
    spawn: () =>
      spawnShell({
        // The outer shell is the parent that a command sees: `kill $PPID` must not reach this process.
        command: 'sh',
        args: ['-c', 'trap : HUP INT QUIT TERM; sh "$@"; exit', 'sh', ...dispatcherArguments],
        cwd: root,
        env: { ...labels, ...dispatcherEnvironment({ stateDirectory, path, announce: true }) },
        outlivesLauncher: true,
        destroy: (shellPid, launcher) => {
          if (shellPid !== null) {
            send(shellPid, 'SIGKILL');
          }
          launcher.kill('SIGKILL');
        },
      }),
    search: (shell) => {
      const found = new LabelledProcesses({
        variable: sandboxVariable,
        value: id,
        roots: () => [shell.shellPid, shell.launcherPid],
        sinceTicks,
      });
      return () => found.search();
    },
    executionOf: (pid) => readVariables(pid, [executionVariable]).get(executionVariable) ?? null,
    group: null,
    shellHoldsAll: false,
  });
  const sandbox = new ShellSandbox({
    kind: 'local',
    exposes: { home: homedir() },
    limits: { network: false, memory_mb: false, cpus: false, pids: false, read_only_system: false },
    home: join(root, 'work'),
    scratch: '/tmp',
    commandTimeoutMs: spec.commandTimeoutMs,
    maxParallelExec: spec.maxParallelExec,
    makeStart: ownsFiles && spec.cwd !== null,
    start: {
      directory: spec.cwd ?? join(root, 'work'),
      environment: {
        LANG: 'C.UTF-8',
        TERM: 'dumb',
        ...host,
        PATH: path,
        HOME: join(root, 'home'),
        TMPDIR: join(root, 'tmp'),
        ...spec.env,
        ...labels,
      },
    },
    stateDirectory,
    executionId,
    backend,
    another: (files) =>
      files === 'same'
        ? createSandbox(spec, directory, false, new AbortController().signal)
        : local.create(spec, new AbortController().signal),
    openShared: () => {},
    removeFiles: async () => {
      if (ownsFiles) {
        await directory.remove();
      }
    },
  });
  return sandbox.open(signal);
}

async function sweep(): Promise<number> {
  let found = false;
  await killProcesses({
    exact: false,
    wholeGroups: true,
    search: () => {
      const dead = allProcesses().filter(({ pid }) => {
        const text = readVariables(pid, [ownerVariable]).get(ownerVariable);
        const label = text === undefined ? null : parseOwnerLabel(text);
        return label !== null && isOwnerDead(label);
      });
      found ||= dead.length > 0;
      return dead;
    },
  });
  const directoriesSwept = await sweepSandboxDirectories();
  return Math.max(directoriesSwept, found ? 1 : 0);
}

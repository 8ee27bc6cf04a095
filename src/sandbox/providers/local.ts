import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { hostEnvironment, systemPath } from '../host-environment.js';
import { killProcesses, send } from '../kill-processes.js';
import { ProcessSandbox } from '../process-sandbox.js';
import { allProcesses, readVariables } from '../process-table.js';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../sandbox.js';
import { SandboxDirectory, sweepSandboxDirectories } from '../sandbox-directory.js';
import { formatOwnerLabel, isOwnerDead, ownerLabel, parseOwnerLabel } from '../sandbox-owner.js';
import { dispatcherArguments, dispatcherEnvironment } from '../shell-dispatcher.js';
import { type SpawnedShell, spawnShell } from '../spawn-shell.js';

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
  const root = realpathSync(directory.path);
  const host = hostEnvironment();
  const path = host.PATH ?? systemPath;
  const stateDirectory = join(root, `state-${id}`);
  mkdirSync(join(stateDirectory, 'input'), { recursive: true, mode: 0o700 });
  const labels = {
    [ownerVariable]: formatOwnerLabel(ownerLabel(spec.owner)),
    [sandboxVariable]: id,
  };
  const sandbox = new ProcessSandbox({
    kind: 'local',
    limits: { network: false, memory_mb: false, cpus: false, pids: false, read_only_system: false },
    home: join(root, 'work'),
    commandTimeoutMs: spec.commandTimeoutMs,
    makeStart: spec.cwd !== null,
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
    reopens: true,
    executionId: (number) => `${id}.${number}`,
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
    processes: (shell) => processesOf(id, shell),
    shellPid: (shell) => shell.shellPid,
    another: (files) =>
      files === 'same'
        ? createSandbox(spec, directory, false, new AbortController().signal)
        : local.create(spec, new AbortController().signal),
    removeFiles: async () => {
      if (ownsFiles) {
        await directory.remove();
      }
    },
  });
  return sandbox.open(signal);
}

/** The processes that carry the sandbox's id, and their descendants. */
function processesOf(id: string, shell: SpawnedShell) {
  const entries = allProcesses().map((entry) => ({
    entry,
    variables: readVariables(entry.pid, [sandboxVariable, executionVariable]),
  }));
  const members = new Set<number>();
  const mine = (pid: number, variables: ReadonlyMap<string, string>) =>
    pid === shell.shellPid || variables.get(sandboxVariable) === id;
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const { entry, variables } of entries) {
      if (mine(entry.pid, variables) || members.has(entry.parent)) {
        members.add(entry.pid);
      }
    }
  }
  return entries
    .filter(({ entry }) => members.has(entry.pid) && entry.pid !== shell.launcherPid)
    .map(({ entry, variables }) => ({
      ...entry,
      executionId: variables.get(executionVariable) ?? null,
    }));
}

async function sweep(): Promise<number> {
  const found = new Set<number>();
  killProcesses(() => {
    const dead = allProcesses()
      .map(({ pid }) => pid)
      .filter((pid) => {
        const text = readVariables(pid, [ownerVariable]).get(ownerVariable);
        const label = text === undefined ? null : parseOwnerLabel(text);
        return label !== null && isOwnerDead(label);
      });
    for (const pid of dead) {
      found.add(pid);
    }
    return dead;
  });
  const directoriesSwept = await sweepSandboxDirectories();
  return Math.max(directoriesSwept, found.size > 0 ? 1 : 0);
}

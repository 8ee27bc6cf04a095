import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process, as the host sees it. */
export interface ProcessEntry {
  readonly pid: number;
  /** `ended`: nothing of it runs any more, but its parent has not asked for its exit code yet. */
  readonly state: 'running' | 'stopped' | 'ended';
  /** The kernel's short name: of the program, or what the process called itself. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  /** Clock ticks between the boot and its start; Infinity where the system does not tell. */
  readonly startTicks: number;
}

/** What a search came upon: a process, or null where one was listed and gone before it could be looked at. */
export type Sighting = ProcessEntry | null;

/** Clock ticks per second in /proc: a constant of the Linux user interface. */
export const ticksPerSecond = 100;

/** Environment blocks may hold megabytes; the variables that are looked for are near the front of an own process. */
const environmentBytes = 1024 * 1024;

/** A live process, or null when it is gone or has ended (or where there is no /proc). */
export function readProcess(pid: number): ProcessEntry | null {
  const entry = sightProcess(pid);
  return entry?.state === 'ended' ? null : entry;
}

/** A process, also one that has ended; null when it is gone. */
export function sightProcess(pid: number): Sighting {
  const text = readProc(`${pid}/stat`)?.toString('latin1');
  if (text === undefined) {
    return null;
  }
  // The name in parentheses may hold anything; the fields begin behind the last of them.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: stateOf(fields[0] ?? ''),
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    startTicks: Number(fields[19]),
  };
}

function stateOf(letter: string): ProcessEntry['state'] {
  switch (letter[0]?.toUpperCase()) {
    case 'Z':
    case 'X':
      return 'ended';
    case 'T':
      return 'stopped';
    default:
      return 'running';
  }
}

/** The ids of the processes of the host, in their order; null where there is no /proc. */
export function listProcesses(): number[] | null {
  return existsSync('/proc/self/stat')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
    : null;
}

/** Every process of the host. */
export function* sightProcesses(): Generator<Sighting> {
  const pids = listProcesses();
  if (pids === null) {
    yield* processesOfPs();
    return;
  }
  for (const pid of pids) {
    yield sightProcess(pid);
  }
}

/** Every live process of the host. */
export function allProcesses(): ProcessEntry[] {
  return [...sightProcesses()].filter(isLive);
}

/** Every process below `root`, and it first. Looks at those alone where the kernel lists children. */
export function* sightDescendants(root: number): Generator<Sighting> {
  const children = childLookup(root);
  yield sightProcess(root);
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of children(pid)) {
      if (child !== null) {
        waiting.push(child.pid);
      }
      yield child;
    }
  }
}

/** Every live process below `root`, without it. */
export function descendantsOf(root: number): ProcessEntry[] {
  return [...sightDescendants(root)].filter(isLive).filter(({ pid }) => pid !== root);
}

function isLive(sighting: Sighting): sighting is ProcessEntry {
  return sighting !== null && sighting.state !== 'ended';
}

/**
 * The variables with these names, or all for null, in a process's initial environment; none when it cannot be read.
 */
export function readVariables(
  pid: number,
  names: readonly string[] | null,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const block = readProc(`${pid}/environ`)?.subarray(0, environmentBytes);
  for (const entry of block?.toString('latin1').split('\0') ?? []) {
    const at = entry.indexOf('=');
    if (at > 0 && names?.includes(entry.slice(0, at)) !== false) {
      found.set(entry.slice(0, at), entry.slice(at + 1));
    }
  }
  return found;
}

/** The command line of a process; empty when it cannot be read. */
export function readArguments(pid: number): string[] {
  return readProc(`${pid}/cmdline`)?.toString('utf8').split('\0').slice(0, -1) ?? [];
}

/** Ticks between the boot and now. */
export function uptimeTicks(): number {
  const seconds = Number(readProc('uptime')?.toString('latin1').split(' ')[0] ?? 0);
  return seconds * ticksPerSecond;
}

function childLookup(root: number): (pid: number) => Iterable<Sighting> {
  if (readProc(`${root}/task/${root}/children`) === null) {
    const all = [...sightProcesses()];
    return (pid) => all.filter((sighting) => sighting?.parent === pid);
  }
  return listedChildren;
}

function* listedChildren(pid: number): Generator<Sighting> {
  for (const thread of threadsOf(pid)) {
    const text = readProc(`${pid}/task/${thread}/children`)?.toString('latin1') ?? '';
    for (const child of text.split(' ')) {
      if (/^\d+$/.test(child)) {
        yield sightProcess(Number(child));
      }
    }
  }
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readProc(path: string): Buffer | null {
  try {
    return readFileSync(`/proc/${path}`);
  } catch {
    return null;
  }
}

function processesOfPs(): ProcessEntry[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return (stdout ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 4)
    .map(([pid, parent, group, state]) => ({
      pid: Number(pid),
      state: stateOf(state ?? ''),
      name: '',
      parent: Number(parent),
      group: Number(group),
      startTicks: Number.POSITIVE_INFINITY,
    }));
}

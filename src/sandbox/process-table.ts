import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A live process, as the host sees it. */
export interface ProcessEntry {
  readonly pid: number;
  /** The kernel's short name: of the program, or what the process called itself. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  /** Clock ticks between the boot and its start; Infinity where the system does not tell. */
  readonly startTicks: number;
}

/** Clock ticks per second in /proc: a constant of the Linux user interface. */
export const ticksPerSecond = 100;

/** Environment blocks may hold megabytes; the variables that are looked for are near the front of an own process. */
const environmentBytes = 1024 * 1024;

/** A process, or null when it is gone or a zombie (or where there is no /proc). */
export function readProcess(pid: number): ProcessEntry | null {
  const text = readProc(`${pid}/stat`)?.toString('latin1');
  // The name in parentheses may hold anything; the fields begin behind the last of them.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const state = fields[0];
  if (state === undefined || state === 'Z' || state === 'X') {
    return null;
  }
  return {
    pid,
    name: text?.slice(text.indexOf('(') + 1, text.lastIndexOf(')')) ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    startTicks: Number(fields[19]),
  };
}

/** Every process of the host. */
export function allProcesses(): ProcessEntry[] {
  if (!existsSync('/proc/self/stat')) {
    return processesOfPs();
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== null);
}

/** Every live process below `root`, without it. Looks at those alone where the kernel lists children. */
export function descendantsOf(root: number): ProcessEntry[] {
  const children = childLookup(root);
  const found: ProcessEntry[] = [];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of children(pid)) {
      waiting.push(child.pid);
      found.push(child);
    }
  }
  return found;
}

/** The variables with these names in a process's initial environment; none when it cannot be read. */
export function readVariables(pid: number, names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const block = readProc(`${pid}/environ`)?.subarray(0, environmentBytes);
  for (const entry of block?.toString('latin1').split('\0') ?? []) {
    const at = entry.indexOf('=');
    if (at > 0 && names.includes(entry.slice(0, at))) {
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

function childLookup(root: number): (pid: number) => ProcessEntry[] {
  if (readProc(`${root}/task/${root}/children`) === null) {
    const all = allProcesses();
    return (pid) => all.filter(({ parent }) => parent === pid);
  }
  return (pid) =>
    threadsOf(pid)
      .flatMap((thread) =>
        (readProc(`${pid}/task/${thread}/children`)?.toString('latin1') ?? '').split(' '),
      )
      .filter((text) => /^\d+$/.test(text))
      .map((text) => readProcess(Number(text)))
      .filter((entry) => entry !== null);
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
    .filter((fields) => fields.length >= 4 && !fields[3]?.startsWith('Z'))
    .map(([pid, parent, group]) => ({
      pid: Number(pid),
      name: '',
      parent: Number(parent),
      group: Number(group),
      startTicks: Number.POSITIVE_INFINITY,
    }));
}

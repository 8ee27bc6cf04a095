import type { ProcessEntry } from './process-table.js';

/** A process of a sandbox, and the id of the command that it says it is of. */
export interface SandboxProcess extends ProcessEntry {
  /** `TALARIA_EXEC_ID` of its environment, or what its name tells: see {@link commandOfName}. */
  readonly executionId: string | null;
}

/** Number of the command whose shell gave itself this name (`sh:12`), or null. */
export function commandOfName(name: string): number | null {
  const match = /^sh:(\d+)$/.exec(name);
  return match === null ? null : Number(match[1]);
}

/** Which command to look for. */
export interface CommandQuery {
  readonly executionId: string;
  /** Process id of the dispatcher, which never belongs to a command. */
  readonly shell: number;
  /** {@link ProcessEntry.startTicks} before which no process of the command began. */
  readonly sinceTicks: number;
}

/**
 * The processes of one command among all of a sandbox. A process belongs to it that has its id, that descends from one
 * of it, or that has no id at all, no parent to tell, and began after it (a child with a cleared environment that left
 * its parent). What earlier commands left in the background is not of it.
 */
export function processesOfCommand(
  processes: readonly SandboxProcess[],
  { executionId, shell, sinceTicks }: CommandQuery,
): number[] {
  const byPid = new Map(processes.map((entry) => [entry.pid, entry]));
  const known = new Map<number, boolean>();
  const belongs = (entry: SandboxProcess): boolean => {
    const answer = known.get(entry.pid);
    if (answer !== undefined) {
      return answer;
    }
    known.set(entry.pid, false);
    const parent = entry.parent === shell ? undefined : byPid.get(entry.parent);
    const result =
      (parent !== undefined && belongs(parent)) ||
      (entry.executionId === null
        ? parent === undefined && entry.startTicks >= sinceTicks
        : entry.executionId === executionId);
    known.set(entry.pid, result);
    return result;
  };
  return processes.filter((entry) => entry.pid !== shell && belongs(entry)).map(({ pid }) => pid);
}

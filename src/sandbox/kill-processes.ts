const rounds = 200;
/** Searches in a row that must find nothing new: one that forks and exits all the time can slip through a single one. */
const quietRounds = 5;

/**
 * Kills every process that `find` names, with SIGKILL. They are stopped first, until no new one shows up, so that one
 * that keeps forking cannot outrun the search. Processes that are gone or not ours are passed over.
 */
export function killProcesses(
  find: () => readonly number[],
  signal: (pid: number, name: NodeJS.Signals) => boolean = send,
): void {
  const stopped = new Set<number>();
  let quiet = 0;
  for (let round = 0; round < rounds && quiet < quietRounds; round += 1) {
    const fresh = find().filter((pid) => !stopped.has(pid));
    quiet = fresh.length === 0 ? quiet + 1 : 0;
    for (const pid of fresh) {
      stopped.add(pid);
      signal(pid, 'SIGSTOP');
    }
  }
  for (const pid of stopped) {
    signal(pid, 'SIGKILL');
  }
}

/** Sends a signal; false when there is no such process, or it is not ours. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

import { type Clock, systemClock } from '../clock.js';
import { type ProcessEntry, readProcess, type Sighting } from './process-table.js';

/** Options of {@link killProcesses}. */
export interface KillOptions {
  /** Every process that may have to be stopped for the search to be sure; walked through again and again. */
  search(): Iterable<Sighting>;
  /** Which of them to kill, once all are stopped; the others go on. @default all */
  choose?(processes: readonly ProcessEntry[]): readonly number[];
  /**
   * Whether each process that vanished before it could be looked at was one that is searched for. Else a few of them
   * are passed over, since a host that does other things always has some.
   */
  readonly exact: boolean;
  /** Whether the groups of the processes hold nothing but them; then a whole group is stopped in one step. */
  readonly wholeGroups: boolean;
  readonly signal?: (pid: number, name: NodeJS.Signals) => boolean;
  readonly clock?: Clock;
}

const limitMs = 1_000;
/** Searches in a row that see what the one before saw, all of it stopped: then nothing can be missing. */
const sureRounds = 2;
/** The same where doubt is left: a process that waits for a disk cannot be stopped, and vanished ones may be foreign. */
const doubtfulRounds = 25;
/** After so long others get their turn, unless a single search takes longer. */
const burstMs = 20;
const pauseMs = 2;

/**
 * Kills processes that do their best to get away, with SIGKILL. All are stopped first, groups in one step, so that none
 * can fork while others are killed. A process that forks and exits all the time is seen as one that is new, or that
 * vanished, in every search: the search has found all only when two in a row saw the same processes, each of them stopped.
 * Resolves with false when they could not be caught in a second; what was found is killed all the same.
 */
export async function killProcesses(options: KillOptions): Promise<boolean> {
  const {
    choose = (all) => all.map(({ pid }) => pid),
    signal = send,
    clock = systemClock,
  } = options;
  const { settled, processes, wereStopped } = await freeze({ ...options, signal });
  const victims = new Set(choose(processes.filter(({ state }) => state !== 'ended')));
  for (const pid of victims) {
    signal(pid, 'SIGKILL');
  }
  for (const { pid } of processes) {
    if (!victims.has(pid) && !wereStopped.has(pid)) {
      signal(pid, 'SIGCONT');
    }
  }
  await ended(
    processes.filter(({ pid }) => victims.has(pid)),
    clock,
  );
  return settled;
}

/** A killed process still runs until it gets the processor once more, and holds on to its files for as long. */
async function ended(victims: readonly ProcessEntry[], clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + limitMs;
  const lives = (victim: ProcessEntry) => {
    const now = readProcess(victim.pid);
    return now !== null && keyOf(now) === keyOf(victim);
  };
  while (victims.some(lives) && clock.monotonic() < deadline) {
    await clock.sleep(pauseMs);
  }
}

interface Frozen {
  readonly settled: boolean;
  /** What the last search saw. */
  readonly processes: readonly ProcessEntry[];
  /** Those that somebody else had stopped. */
  readonly wereStopped: ReadonlySet<number>;
}

async function freeze({
  search,
  exact,
  wholeGroups,
  signal = send,
  clock = systemClock,
}: KillOptions): Promise<Frozen> {
  const seen = new Set<string>();
  const wereStopped = new Set<number>();
  const groups = new Set<number>(wholeGroups ? ownGroups() : []);
  const stop = ({ pid, group }: ProcessEntry) => {
    if (wholeGroups && !groups.has(group)) {
      groups.add(group);
      signal(-group, 'SIGSTOP');
    }
    signal(pid, 'SIGSTOP');
  };
  const deadline = clock.monotonic() + limitMs;
  let burstEnd = clock.monotonic() + burstMs;
  let before = '';
  let same = 0;
  let sure = 0;
  for (;;) {
    const processes: ProcessEntry[] = [];
    let doubt = false;
    let moving = false;
    for (const sighting of search()) {
      if (sighting === null) {
        doubt = true;
        continue;
      }
      processes.push(sighting);
      moving ||= sighting.state === 'running';
      if (seen.has(keyOf(sighting))) {
        continue;
      }
      seen.add(keyOf(sighting));
      if (sighting.state === 'stopped' && !groups.has(sighting.group)) {
        wereStopped.add(sighting.pid);
      }
      if (sighting.state !== 'ended') {
        stop(sighting);
      }
    }
    const now = processes.map(keyOf).join(' ');
    same = now === before ? same + 1 : 0;
    sure = same > 0 && !doubt && !moving ? sure + 1 : 0;
    before = now;
    if (sure >= sureRounds || (same >= doubtfulRounds && !(doubt && exact))) {
      return { settled: true, processes, wereStopped };
    }
    if (clock.monotonic() >= deadline) {
      return { settled: false, processes, wereStopped };
    }
    // What has been told to stop needs a moment; a chase must not wait.
    if ((moving && same > 0) || clock.monotonic() >= burstEnd) {
      await clock.sleep(pauseMs);
      burstEnd = clock.monotonic() + burstMs;
    }
  }
}

function keyOf({ pid, startTicks }: ProcessEntry): string {
  return `${pid}.${startTicks}`;
}

/** Groups that must never be stopped: this process is in its own, and 0 and 1 have a meaning of their own. */
function ownGroups(): number[] {
  return [0, 1, readProcess(process.pid)?.group ?? process.pid];
}

/** Sends a signal; false when there is no such process, or it is not ours. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

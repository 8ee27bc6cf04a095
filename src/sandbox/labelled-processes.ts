import {
  listProcesses,
  type ProcessEntry,
  readVariables,
  type Sighting,
  sightProcess,
  sightProcesses,
} from './process-table.js';

/** Which processes of the host to look for. */
export interface LabelQuery {
  /** Name and value of the variable that they were started with. */
  readonly variable: string;
  readonly value: string;
  /** Processes that belong to them in any case. */
  readonly roots: () => readonly (number | null)[];
  /** {@link ProcessEntry.startTicks} before which none of them began. */
  readonly sinceTicks: number;
}

type Verdict = 'member' | 'foreign' | 'undecided';

/** Child of it are the kernel's own threads. */
const kernelThreads = 2;

/**
 * A search, to be repeated, for the processes of the host with a label in their environment, what descends from them, and
 * what is in a group with them. What has appeared since the last search is looked at first, the newest before all, since
 * one that forks and exits all the time is there for a moment only. What is known as foreign is not looked at again.
 */
export class LabelledProcesses {
  readonly #query: LabelQuery;
  readonly #groups = new Set<number>();
  #verdicts = new Map<number, Verdict>();

  constructor(query: LabelQuery) {
    this.#query = query;
  }

  *search(): Generator<Sighting> {
    const pids = listProcesses();
    if (pids === null) {
      yield* this.#searchTable();
      return;
    }
    const before = this.#verdicts;
    this.#verdicts = new Map();
    const fresh: number[] = [];
    for (const pid of pids) {
      const verdict = before.get(pid);
      if (verdict === undefined || verdict === 'undecided') {
        fresh.push(pid);
      } else {
        this.#verdicts.set(pid, verdict);
      }
    }
    const waiting: ProcessEntry[] = [];
    for (const pid of fresh.reverse()) {
      const sighting = sightProcess(pid);
      if (sighting === null || this.#isMember(sighting)) {
        yield sighting;
      } else {
        waiting.push(sighting);
      }
    }
    yield* this.#settle(waiting.reverse());
    for (const [pid, verdict] of before) {
      if (verdict === 'member' && this.#verdicts.has(pid)) {
        yield sightProcess(pid);
      }
    }
  }

  /** Where nothing but the whole table can be had. */
  *#searchTable(): Generator<Sighting> {
    const waiting: ProcessEntry[] = [];
    for (const sighting of sightProcesses()) {
      if (sighting !== null && !this.#isMember(sighting)) {
        waiting.push(sighting);
      } else {
        yield sighting;
      }
    }
    yield* this.#settle(waiting);
    this.#verdicts = new Map([...this.#verdicts].filter(([, verdict]) => verdict === 'member'));
  }

  /** Decides on those that carry no label, now that all of their parents have been looked at. */
  *#settle(waiting: readonly ProcessEntry[]): Generator<Sighting> {
    let rest = waiting;
    for (let found = true; found; ) {
      const members = rest.filter((entry) => this.#isKin(entry));
      rest = rest.filter((entry) => !members.includes(entry));
      found = members.length > 0;
      yield* members;
    }
    for (const entry of rest) {
      const undecided = this.#mayBecomeMember(entry);
      this.#verdicts.set(entry.pid, undecided ? 'undecided' : 'foreign');
      if (undecided) {
        yield null;
      }
    }
  }

  #isMember(entry: ProcessEntry): boolean {
    const { variable, value, roots } = this.#query;
    return (
      this.#isKin(entry) ||
      ((roots().includes(entry.pid) ||
        readVariables(entry.pid, [variable]).get(variable) === value) &&
        this.#take(entry))
    );
  }

  #isKin(entry: ProcessEntry): boolean {
    return (
      (this.#groups.has(entry.group) || this.#verdicts.get(entry.parent) === 'member') &&
      this.#take(entry)
    );
  }

  #take({ pid, group }: ProcessEntry): true {
    this.#verdicts.set(pid, 'member');
    this.#groups.add(group);
    return true;
  }

  /** In the middle of starting a program a process has no environment. */
  #mayBecomeMember({ pid, parent, state, startTicks }: ProcessEntry): boolean {
    return (
      state !== 'ended' &&
      parent !== kernelThreads &&
      startTicks >= this.#query.sinceTicks &&
      readVariables(pid, null).size === 0
    );
  }
}

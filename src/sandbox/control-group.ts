import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../clock.js';
import {
  type ControllerName,
  type ControllerPlace,
  controllerNames,
  findControllers,
} from './find-controllers.js';
import type { SandboxOwner } from './sandbox.js';
import { formatOwnerLabel, isOwnerDead, ownerLabel, parseOwnerLabel } from './sandbox-owner.js';

/** What a group of processes may use; null: as much as there is. */
export interface GroupLimits {
  readonly memoryMb: number | null;
  readonly processes: number | null;
  readonly cpus: number | null;
}

/** Where this host has control groups. A parameter for tests. */
export type ControllerPlaces = { readonly [name in ControllerName]?: ControllerPlace };

const prefix = 'talaria-';
const megabyte = 1024 * 1024;
const cpuPeriodUs = 100_000;
const removeAttempts = 50;
const removePauseMs = 20;

/**
 * A control group of the kernel for the processes of one sandbox, versions 1 and 2. What the host does not let this process
 * limit stays without a limit, and {@link enforced} says so.
 */
export class ControlGroup {
  readonly #directories = new Map<ControllerName, string>();

  /** Never throws. */
  constructor(owner: SandboxOwner, limits: GroupLimits, places = controllerPlaces()) {
    const name = `s-${randomBytes(6).toString('hex')}`;
    const label = `${prefix}${formatOwnerLabel(ownerLabel(owner))}`;
    for (const controller of controllerNames) {
      const place = places[controller];
      const entries = entriesOf(controller, limits, place?.version ?? 1);
      if (place !== undefined && entries.length > 0) {
        this.#limit(controller, place, join(label, name), entries);
      }
    }
  }

  /** What is really limited. */
  get enforced(): { readonly memory_mb: boolean; readonly pids: boolean; readonly cpus: boolean } {
    const has = (name: ControllerName) => this.#directories.has(name);
    return { memory_mb: has('memory'), pids: has('pids'), cpus: has('cpu') };
  }

  /** Puts a process into the group, and with it all that it will start. Throws when it is gone. */
  add(pid: number): void {
    for (const directory of new Set(this.#directories.values())) {
      writeFileSync(join(directory, 'cgroup.procs'), `${pid}`);
    }
  }

  /** How often the kernel ended a process of the group because memory ran out. */
  outOfMemoryCount(): number {
    const directory = this.#directories.get('memory');
    const texts = ['memory.events', 'memory.oom_control'].map((name) =>
      directory === undefined ? '' : readText(join(directory, name)),
    );
    return Number(/^oom_kill (\d+)$/m.exec(texts.join('\n'))?.[1] ?? 0);
  }

  /** Removes it; its processes must have ended. What the kernel still holds on to is left to the sweeper. Never rejects. */
  async remove(clock: Clock = systemClock): Promise<void> {
    for (const directory of new Set(this.#directories.values())) {
      for (let attempt = 0; attempt < removeAttempts && !removed(directory); attempt += 1) {
        await clock.sleep(removePauseMs);
      }
      // Other sandboxes of the owner may be in it.
      removed(dirname(directory));
    }
    this.#directories.clear();
  }

  #limit(
    controller: ControllerName,
    place: ControllerPlace,
    path: string,
    entries: readonly Entry[],
  ): void {
    for (const parent of parentsOf(place)) {
      const directory = join(parent, path);
      try {
        offerBelow(parent, place.version);
        mkdirSync(dirname(directory), { recursive: true });
        offerBelow(dirname(directory), place.version);
        mkdirSync(directory, { recursive: true });
        for (const entry of entries) {
          write(directory, entry);
        }
        this.#directories.set(controller, directory);
        return;
      } catch {
        if (![...this.#directories.values()].includes(directory)) {
          removed(directory);
          removed(dirname(directory));
        }
      }
    }
  }
}

/** Removes the groups of owners that are dead. Their processes are gone with their sandboxes. */
export function sweepControlGroups(places = controllerPlaces()): void {
  for (const place of Object.values(places)) {
    for (const parent of new Set(parentsOf(place))) {
      for (const name of directoriesIn(parent)) {
        const label = name.startsWith(prefix) ? parseOwnerLabel(name.slice(prefix.length)) : null;
        if (label !== null && isOwnerDead(label)) {
          const path = join(parent, name);
          for (const inner of directoriesIn(path)) {
            removed(join(path, inner));
          }
          removed(path);
        }
      }
    }
  }
}

/** Those of this host; none where there is no /proc. */
export function controllerPlaces(): ControllerPlaces {
  return findControllers(readText('/proc/self/mountinfo'), readText('/proc/self/cgroup'));
}

/**
 * Where a group may be made, best first. In version 2 a group with processes can hold no groups with limits, unless it is
 * the root, so that the place beside the own one comes first.
 */
function parentsOf({ version, own, mount }: ControllerPlace): readonly string[] {
  const beside = own === mount ? mount : dirname(own);
  return version === 1 ? [own, mount] : [beside, own, mount];
}

/** In version 2 a group has only those controllers that the one above offers. */
function offerBelow(directory: string, version: 1 | 2): void {
  for (const name of version === 2 ? controllerNames : []) {
    try {
      writeFileSync(join(directory, 'cgroup.subtree_control'), `+${name}`, { flag: 'r+' });
    } catch {
      // What it does not offer, the group's missing files tell.
    }
  }
}

/** One file of a group. A file that only some kernels have is `optional`. */
interface Entry {
  readonly file: string;
  readonly value: string;
  readonly optional?: true;
}

function entriesOf(
  controller: ControllerName,
  { memoryMb, processes, cpus }: GroupLimits,
  version: 1 | 2,
): readonly Entry[] {
  if (controller === 'memory' && memoryMb !== null) {
    const value = `${memoryMb * megabyte}`;
    return version === 2
      ? [
          { file: 'memory.max', value },
          { file: 'memory.swap.max', value: '0', optional: true },
        ]
      : [
          { file: 'memory.limit_in_bytes', value },
          { file: 'memory.memsw.limit_in_bytes', value, optional: true },
        ];
  }
  if (controller === 'pids' && processes !== null) {
    return [{ file: 'pids.max', value: `${processes}` }];
  }
  if (controller === 'cpu' && cpus !== null) {
    const quota = `${Math.max(1_000, Math.round(cpus * cpuPeriodUs))}`;
    return version === 2
      ? [{ file: 'cpu.max', value: `${quota} ${cpuPeriodUs}` }]
      : [
          { file: 'cpu.cfs_period_us', value: `${cpuPeriodUs}` },
          { file: 'cpu.cfs_quota_us', value: quota },
        ];
  }
  return [];
}

function write(directory: string, { file, value, optional }: Entry): void {
  const path = join(directory, file);
  if (optional !== true || existsSync(path)) {
    // Not made where it is missing: then the group has no such limit.
    writeFileSync(path, value, { flag: 'r+' });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function directoriesIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** A group's files cannot be removed, only the group. False while it has processes or groups. */
function removed(directory: string): boolean {
  try {
    rmdirSync(directory);
  } catch {
    // Told by what is left.
  }
  return !existsSync(directory);
}

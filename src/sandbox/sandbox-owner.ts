import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256 } from '../hash.js';
import { processStart } from '../process-start.js';
import type { SandboxOwner } from './sandbox.js';

/** This process as the owner of a run's sandboxes. */
export function currentOwner(runId: string): SandboxOwner {
  return { runId, pid: process.pid, startedAt: processStart(process.pid) ?? '' };
}

/** An owner in one word, as sandboxes are labelled with it: directories and processes. */
export interface OwnerLabel {
  readonly runId: string;
  readonly pid: number;
  /** Hash of the start of the process. */
  readonly start: string;
  /** Hash of host and process id namespace: elsewhere the id means nothing. */
  readonly place: string;
}

/** The label of an owner. Trusts the host, not the caller, on when a live process started. */
export function ownerLabel(owner: SandboxOwner): OwnerLabel {
  return {
    runId: owner.runId.replace(/[^A-Za-z0-9_.]+/g, '_').slice(0, 40) || '_',
    pid: owner.pid,
    start: shortHash(processStart(owner.pid) ?? owner.startedAt),
    place: shortHash(place()),
  };
}

/** `run-pid-start-place`; read back by {@link parseOwnerLabel}. */
export function formatOwnerLabel({ runId, pid, start, place: where }: OwnerLabel): string {
  return `${runId}-${pid}-${start}-${where}`;
}

export function parseOwnerLabel(text: string): OwnerLabel | null {
  const match = /^(.+)-(\d+)-([0-9a-f]{8})-([0-9a-f]{8})$/.exec(text);
  return match === null
    ? null
    : {
        runId: match[1] ?? '',
        pid: Number(match[2]),
        start: match[3] ?? '',
        place: match[4] ?? '',
      };
}

/** True only when the owner is known to be dead: it lived here, and its id is free or another process's. */
export function isOwnerDead(label: OwnerLabel): boolean {
  if (label.place !== shortHash(place())) {
    return false;
  }
  const start = processStart(label.pid);
  return start === null || shortHash(start) !== label.start;
}

function place(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function shortHash(text: string): string {
  return sha256(text).slice(0, 8);
}

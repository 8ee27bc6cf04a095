import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TalariaError } from '../../src/errors.js';
import { isJsonObject, parseJson } from '../../src/json.js';
import { currentProcess, type ProcessIdentity, processState } from './process-identity.js';

/** Proof that this process is the one that writes a run. */
export interface RunLock {
  /** The owner before this one had died without releasing it. */
  readonly takenOver: boolean;
  release(): void;
}

interface LockContent extends ProcessIdentity {
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** A lock file that cannot be read is being written, or is garbage when it is older than this. */
const garbageAfterMs = 10_000;

/**
 * Takes `run.lock`. The file appears with its content or not at all. It is broken only when its owner is known to be
 * dead; otherwise throws `run_locked`. `now` is in milliseconds since the epoch.
 */
export function acquireRunLock(directory: string, now: number): RunLock {
  const path = join(directory, 'run.lock');
  const self = currentProcess();
  const content: LockContent = { ...self, since: new Date(now).toISOString() };
  const token = randomUUID();
  // The token makes each lock another text: one is removed only by who knows it.
  const text = `${JSON.stringify({ ...content, token })}\n`;
  const draft = join(directory, `.run.lock.${token}`);
  writeFileSync(draft, text, { flag: 'wx' });
  try {
    let takenOver = false;
    // Each further round means that another process moved between two of our steps.
    for (let round = 0; round < 20; round += 1) {
      if (create(draft, path, text)) {
        return { takenOver, release: () => release(path, text) };
      }
      const found = read(path);
      if (found !== null) {
        refuseUnlessDead(found, path, self, now);
        takenOver = remove(path, found) || takenOver;
      }
    }
    throw locked(`${path} changes all the time: other processes are starting the same run.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** False when the lock exists. A link is atomic; where there are no links an exclusive create has to do. */
function create(draft: string, path: string, text: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (thrown) {
    if (isCode(thrown, 'EEXIST')) {
      return false;
    }
  }
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (thrown) {
    if (isCode(thrown, 'EEXIST')) {
      return false;
    }
    throw thrown;
  }
}

/** Null when it has just gone. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (isCode(thrown, 'ENOENT')) {
      return null;
    }
    throw thrown;
  }
}

function refuseUnlessDead(text: string, path: string, self: ProcessIdentity, now: number): void {
  const owner = parse(text);
  if (owner === null) {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - written < garbageAfterMs) {
      throw locked(`${path} is being written by another process. Try again in a moment.`);
    }
    return;
  }
  const who = `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  switch (processState(owner, self)) {
    case 'dead':
      return;
    case 'alive':
      throw locked(
        `The run in ${path.slice(0, -'/run.lock'.length)} is being written by ${who}. Wait for it, or stop it.`,
      );
    case 'unknown':
      throw locked(
        `The run is locked by ${who}, which cannot be seen from here (${self.host}; maybe another container). ` +
          `If you are sure that it has ended, delete ${path} and start again.`,
      );
  }
}

/** Takes the dead lock away, and only that one: another process may have replaced it a moment ago. */
function remove(path: string, dead: string): boolean {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (thrown) {
    if (isCode(thrown, 'ENOENT')) {
      return false;
    }
    throw thrown;
  }
  try {
    if (readFileSync(aside, 'utf8') === dead) {
      return true;
    }
    linkSync(aside, path);
    return false;
  } catch {
    // A third process was faster. The fence in run.db lets only the last of them write.
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
}

function release(path: string, text: string): void {
  try {
    if (read(path) === text) {
      rmSync(path, { force: true });
    }
  } catch {
    // A lock that cannot be removed is that of a dead process by the time of the next start.
  }
}

function parse(text: string): LockContent | null {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    return null;
  }
  const { pid, started, host, machine, boot, namespace, since } = parsed.value;
  if (typeof pid !== 'number' || typeof host !== 'string') {
    return null;
  }
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    pid,
    host,
    started: textOf(started),
    machine: textOf(machine),
    boot: textOf(boot),
    namespace: textOf(namespace),
    since: textOf(since) ?? 'an unknown time',
  };
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

function locked(message: string): TalariaError {
  return new TalariaError({ code: 'run_locked', message });
}

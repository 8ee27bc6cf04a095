import { spawn } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { type Clock, systemClock } from '../clock.js';

/** A sandbox as far as what it writes goes. */
export interface WatchedDisk {
  readonly limitBytes: number;
  /** What it has written, in bytes. A rejection counts as nothing. */
  measure(): Promise<number>;
  /** Called once. */
  onExceeded(bytes: number): void;
}

export interface DiskWatchOptions {
  /** Bytes that are free where the sandboxes write; null where that cannot be known from here. */
  readonly freeBytes: () => Promise<number | null>;
  readonly clock?: Clock;
}

/** Why a sandbox that wrote more than it may is gone. */
export function tooMuchWritten(diskMb: number): string {
  return `it wrote more than its ${diskMb} MB (sandbox.disk_mb)`;
}

const everyMs = 1_000;
/** Where free space cannot be seen, one sandbox is measured in so many looks. */
const blindLooks = 5;

/**
 * Holds sandboxes to a limit of disk space where the file system has none to set. To measure what one wrote takes long, so
 * they are measured only once the free space has shrunk by a part of the smallest limit. One that writes as fast as it can
 * exceeds its limit by what it writes in about a second.
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #clock: Clock;
  readonly #disks = new Set<WatchedDisk>();
  #most = 0;
  #looks = 0;
  #cancel: (() => void) | null = null;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns what ends it. */
  add(disk: WatchedDisk): () => void {
    this.#disks.add(disk);
    this.#cancel ??= this.#lookLater();
    return () => {
      this.#disks.delete(disk);
    };
  }

  #lookLater(): () => void {
    return this.#clock.after(everyMs, () => {
      void this.#look().finally(() => {
        this.#cancel = this.#disks.size > 0 ? this.#lookLater() : null;
        this.#most = this.#disks.size > 0 ? this.#most : 0;
      });
    });
  }

  async #look(): Promise<void> {
    const free = await this.#options.freeBytes().catch(() => null);
    this.#looks += 1;
    if (free === null) {
      const [disk] = this.#looks % blindLooks === 0 ? this.#disks : [];
      if (disk !== undefined) {
        // To the end of the line, so that each has its turn.
        this.#disks.delete(disk);
        this.#disks.add(disk);
        await this.#check(disk);
      }
      return;
    }
    this.#most = Math.max(this.#most, free);
    const smallest = Math.min(...[...this.#disks].map(({ limitBytes }) => limitBytes));
    if (this.#most - free > smallest / 8) {
      this.#most = free;
      await Promise.all([...this.#disks].map((disk) => this.#check(disk)));
    }
  }

  async #check(disk: WatchedDisk): Promise<void> {
    const bytes = await disk.measure().catch(() => 0);
    if (bytes > disk.limitBytes && this.#disks.delete(disk)) {
      disk.onExceeded(bytes);
    }
  }
}

/** Bytes that are free on the file system of a directory; null where that cannot be known. */
export async function freeBytesAt(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Bytes that a directory takes on disk with all in it. A program of its own: there may be a million files. */
export function treeBytes(path: string): Promise<number> {
  return new Promise((resolve) => {
    const du = spawn('du', ['-sk', '--', path], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    du.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    du.once('error', () => resolve(0));
    du.once('close', () => resolve(Number.parseInt(text, 10) * 1024 || 0));
  });
}

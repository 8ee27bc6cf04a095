import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TalariaError, usageError } from '../src/errors.js';
import { fileProblem } from '../src/file-problem.js';
import type { RolloutRecord } from '../src/rollout/record.js';
import type { Format, FormatOptions } from './format.js';

export interface ExportRequest {
  readonly format: Format;
  readonly records: AsyncIterable<RolloutRecord>;
  /** The file to write; its folder is made if need be. An existing file is replaced at the very end. */
  readonly path: string;
  readonly options: FormatOptions;
  /** Gives the export up: nothing is left of it, and it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ExportResult {
  readonly rows: number;
  /** Rows that could not be written faithfully. */
  readonly flagged: number;
  readonly path: string;
}

/**
 * Writes records to a file of one format. The final name holds a complete export or what it held before, never a
 * part: the rows go to a hidden file beside it, which is synced and renamed, or removed on any failure. Holds
 * about a megabyte, whatever the size of the export, and asks for the next record only when the disk has taken
 * the last. Errors of `records` pass through; those of the file system are usage errors that name the path.
 */
export async function writeExport(request: ExportRequest): Promise<ExportResult> {
  const { format, options, signal } = request;
  const records = interruptible(request.records, signal);
  const path = await target(request.path);
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomUUID()}.tmp`);
  const file = await naming(path, async () => {
    await mkdir(folder, { recursive: true });
    return open(temporary, 'wx');
  });
  try {
    const flags = countFlaggedRows(options);
    const rows = await writePieces(file, path, format.encode(records, flags.options));
    await naming(path, async () => {
      await file.sync();
      await file.close();
      await rename(temporary, path);
      await syncFolder(folder);
    });
    return { rows, flagged: flags.count(), path: request.path };
  } catch (thrown) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** Longest time for which other work waits, a Ctrl-C for example: records come from a database that never waits. */
const breathMs = 25;

async function* interruptible(
  records: AsyncIterable<RolloutRecord>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RolloutRecord> {
  let since = performance.now();
  for await (const record of records) {
    if (performance.now() - since > breathMs) {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    signal?.throwIfAborted();
    yield record;
  }
}

/**
 * The file that a path stands for: what a link leads to, so that the link stays. What is there and is no file would be
 * replaced by one (a device!) or be in the way only when all is written: it is refused before.
 */
async function target(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    return path;
  }
  if (!found.isFile()) {
    throw usageError(
      found.isDirectory()
        ? `Cannot write the export ${path}: it is a folder. Give the name of a file in it with --out.`
        : `Cannot write the export ${path}: it is a pipe or a device and would be replaced by a file. --out - writes to stdout.`,
    );
  }
  return await realpath(path).catch(() => path);
}

/** Characters gathered before a write. */
const batchChars = 1 << 20;

async function writePieces(
  file: FileHandle,
  path: string,
  pieces: AsyncIterable<string>,
): Promise<number> {
  let rows = 0;
  let batch: string[] = [];
  let chars = 0;
  const flush = async () => {
    const text = batch.join('');
    batch = [];
    chars = 0;
    // Not `write`, which may take a part of the text only.
    await naming(path, () => file.writeFile(text));
  };
  for await (const piece of pieces) {
    rows += 1;
    batch.push(piece);
    chars += piece.length;
    if (chars >= batchChars) {
      await flush();
    }
  }
  await flush();
  return rows;
}

/** A row may have several flags; they are told of one after the other. */
function countFlaggedRows(options: FormatOptions) {
  let count = 0;
  let last: string | null = null;
  const counting: FormatOptions = {
    ...options,
    onFlag(taskKey, sample, flag) {
      const row = `${taskKey}#${sample}`;
      if (row !== last) {
        last = row;
        count += 1;
      }
      options.onFlag(taskKey, sample, flag);
    },
  };
  return { options: counting, count: () => count };
}

/** A renamed file survives a power cut only when its folder was synced too; some systems cannot, and lose nothing else. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw TalariaError.isInstance(thrown)
      ? thrown
      : usageError(
          `Cannot write the export ${path}: ${fileProblem(thrown)}. Free the place or choose another with --out.`,
          thrown,
        );
  }
}

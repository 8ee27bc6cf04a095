import { type FileHandle, open } from 'node:fs/promises';

/** Where a line of a file is, in bytes, without its line feed. */
export interface LineRange {
  readonly offset: number;
  readonly length: number;
}

const chunkBytes = 1 << 20;
const lineFeed = 0x0a;

/** The lines of a file with their places, one at a time. Ends at LF only: JSON text may hold other line separators. */
export async function* indexLines(path: string): AsyncGenerator<IndexedLine> {
  const file = await open(path, 'r');
  try {
    yield* linesOf(file);
  } finally {
    await file.close();
  }
}

/** A line with its place and its 1-based number. */
export interface IndexedLine {
  readonly text: string;
  readonly range: LineRange;
  readonly number: number;
}

async function* linesOf(file: FileHandle): AsyncGenerator<IndexedLine> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let parts: Buffer[] = [];
  let start = 0;
  let position = 0;
  let number = 0;
  const take = (): IndexedLine => {
    const bytes = Buffer.concat(parts);
    parts = [];
    number += 1;
    return { text: bytes.toString('utf8'), range: { offset: start, length: bytes.length }, number };
  };
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) {
      break;
    }
    let from = 0;
    for (;;) {
      const end = chunk.subarray(0, bytesRead).indexOf(lineFeed, from);
      if (end === -1) {
        break;
      }
      parts.push(chunk.subarray(from, end));
      yield take();
      from = end + 1;
      start = position + from;
    }
    // Copied, since the chunk is used again.
    parts.push(Buffer.from(chunk.subarray(from, bytesRead)));
    position += bytesRead;
  }
  if (start < position) {
    yield take();
  }
}

/** Reads one line again. */
export async function readLine(path: string, { offset, length }: LineRange): Promise<string> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) {
        throw new Error(`${path} became shorter while it was being used`);
      }
      done += bytesRead;
    }
    return bytes.toString('utf8');
  } finally {
    await file.close();
  }
}

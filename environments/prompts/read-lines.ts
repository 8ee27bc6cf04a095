import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';

export interface Line {
  /** 1-based. */
  readonly number: number;
  /** Without its end; null when the bytes are not UTF-8 text that fits into memory. */
  readonly text: string | null;
}

const lineFeed = 0x0a;

/**
 * The lines of a UTF-8 file, streamed. Only a line feed ends a line: JSON text may hold other separators, and a
 * carriage return before it is white space to JSON. A byte order mark at the start goes. Lines may be of any length.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) {
    let rest: Buffer = chunk;
    for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed)) {
      parts.push(rest.subarray(0, end));
      yield decode(parts, ++number);
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) {
      parts.push(rest);
    }
  }
  if (parts.length > 0) {
    yield decode(parts, ++number);
  }
}

function decode(parts: readonly Buffer[], number: number): Line {
  const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  if (!isUtf8(bytes)) {
    return { number, text: null };
  }
  try {
    const text = bytes.toString('utf8');
    return { number, text: number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text };
  } catch {
    // Longer than the longest string.
    return { number, text: null };
  }
}

import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isJsonObject, parseJson } from '../../src/json.js';
import { readLines } from './read-lines.js';

const marker = Buffer.from('"host_path"');

/**
 * Digest of a data set and of what its rows name on the host. A file without `host_path` is only hashed, never parsed, so
 * that a big one is known again within seconds; named files count by size, time and mode.
 */
export async function fingerprintFile(path: string): Promise<string> {
  const hash = createHash('sha256').update('prompts/1\n');
  let namesFiles = false;
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(path)) {
    hash.update(chunk);
    if (!namesFiles) {
      // The marker may lie across the border of two chunks.
      namesFiles =
        chunk.includes(marker) ||
        Buffer.concat([tail, chunk.subarray(0, marker.length)]).includes(marker);
      tail = Buffer.from(chunk.subarray(-marker.length));
    }
  }
  if (namesFiles) {
    for (const hostPath of await namedFiles(path)) {
      const found = await stat(hostPath).catch(() => null);
      const facts = found && [found.size, found.mtimeMs, found.mode];
      hash.update(`\n${JSON.stringify([hostPath, facts])}`);
    }
  }
  return hash.digest('hex');
}

/** All in one buffer, each chunk valid until the next: a stream's own would pile up faster than they are collected. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(1 << 20);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) {
        return;
      }
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function namedFiles(path: string): Promise<string[]> {
  const names = new Set<string>();
  for await (const { text } of readLines(path)) {
    const parsed = text?.includes('"host_path"') ? parseJson(text) : null;
    const files = parsed?.ok && isJsonObject(parsed.value) ? parsed.value['files'] : null;
    for (const entry of isJsonObject(files) ? Object.values(files) : []) {
      const name = isJsonObject(entry) ? entry['host_path'] : null;
      if (typeof name === 'string') {
        names.add(resolve(dirname(path), name));
      }
    }
  }
  return [...names].sort();
}

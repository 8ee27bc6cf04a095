import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Writes `run.yaml` unless it holds this text already: a resume may change options that are no identity. The file is
 * complete at every moment. False when nothing was written.
 */
export function writeRunYaml(directory: string, text: string): boolean {
  const path = join(directory, 'run.yaml');
  if (readIfThere(path) === text) {
    return false;
  }
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(draft, 'wx');
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
  return true;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

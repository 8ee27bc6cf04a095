import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a directory holds a run, whatever its state: a look at the file, without opening it. */
export function runExists(directory: string): boolean {
  try {
    return statSync(join(directory, 'run.db')).isFile();
  } catch {
    // Whatever stands in the way, opening the run says it better.
    return false;
  }
}

import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a directory holds a run, whatever its state: a look at the file, without opening it. */
export function runExists(directory: string): boolean {
  return statSync(join(directory, 'run.db'), { throwIfNoEntry: false })?.isFile() === true;
}

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { usageError } from '../../src/errors.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';

/** The directory of a run that is given by path or by its name under `runs/`. Throws a usage error. */
export function findRun(run: string, cwd: string): string {
  const candidates = [resolve(cwd, run), resolve(cwd, 'runs', run)];
  const found = candidates.find((directory) => existsSync(join(directory, 'run.db')));
  if (found !== undefined) {
    return found;
  }
  const names = runNames(resolve(cwd, 'runs'));
  const nearest = nearestName(run, names);
  const shown = candidates.map((directory) => relative(cwd, join(directory, 'run.db')));
  throw usageError(
    `No run "${run}": there is neither ${shown.join(' nor ')}` +
      didYouMean(nearest) +
      (nearest === null && names.length > 0 ? ` Runs here: ${names.slice(-10).join(', ')}.` : ''),
  );
}

function runNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => statSync(join(folder, name)).isDirectory())
      .sort();
  } catch {
    return [];
  }
}

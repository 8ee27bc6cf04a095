import { posix } from 'node:path';
import type { SandboxSession } from '../../sandbox/sandbox.js';
import { nearestName } from '../../text/nearest-name.js';
import { shellQuotePath } from '../../text/shell-quote.js';

/** Paths beside a missing file that the model may have meant, best first, at most five. */
export async function similarFiles(
  path: string,
  sandbox: SandboxSession,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const folder = posix.dirname(path);
  const { stdout } = await sandbox.exec(`ls -1a ${shellQuotePath(folder)} 2>/dev/null`, {
    signal,
    timeoutMs: 10_000,
    maxOutputBytes: 200_000,
  });
  const names = stdout.toString('utf8').split('\n');
  return rankSimilar(posix.basename(path), names).map((name) => posix.join(folder, name));
}

/** The names that resemble the wanted one: same but for case, a misspelling, same stem, one inside the other. */
export function rankSimilar(wanted: string, names: readonly string[]): readonly string[] {
  return names
    .filter((name) => name !== '' && name !== '.' && name !== '..')
    .map((name) => ({ name, score: score(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name);
}

function score(wanted: string, name: string): number {
  if (name === wanted) {
    return 4;
  }
  if (nearestName(wanted, [name]) !== null) {
    return 3;
  }
  if (stem(name) === stem(wanted)) {
    return 2;
  }
  const [short, long] = name.length < wanted.length ? [name, wanted] : [wanted, name];
  return short.length >= 3 && long.includes(short) ? 1 : 0;
}

function stem(name: string): string {
  return posix.parse(name).name;
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One step of a reference solution: what is typed, and why. */
export interface SolutionStep {
  readonly file: string;
  /** The script without its first `#!` line. */
  readonly command: string;
  readonly rationale: string | null;
}

/**
 * Reads the scripts of a task's `solution/` folder, in the order of their names (`2.sh` before `10.sh`).
 * Null when the folder has none. The rationale of a step is its paragraph of `rationale.md` if there are as many
 * paragraphs as steps (else the first step gets the whole), or else the comment at the head of the script.
 */
export async function readSolution(taskFolder: string): Promise<readonly SolutionStep[] | null> {
  const folder = join(taskFolder, 'solution');
  const names = await namesIn(folder);
  const scripts = names.filter((name) => name.endsWith('.sh')).sort(byName);
  if (scripts.length === 0) {
    return null;
  }
  const rationale = names.includes('rationale.md')
    ? await readFile(join(folder, 'rationale.md'), 'utf8')
    : '';
  const stated = rationales(rationale, scripts.length);
  return Promise.all(
    scripts.map(async (file, index) => {
      const text = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n');
      const command = text.replace(/^\uFEFF?#!.*\n?/, '').trim();
      return { file, command, rationale: stated[index] ?? headComment(command) };
    }),
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') {
      return [];
    }
    throw thrown;
  }
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1);
}

function rationales(text: string, steps: number): readonly (string | null)[] {
  const whole = text.replaceAll('\r\n', '\n').trim();
  if (whole === '') {
    return [];
  }
  const paragraphs = whole.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
  return paragraphs.length === steps ? paragraphs : [whole];
}

/** The comment lines before the first command. */
function headComment(script: string): string | null {
  const lines: string[] = [];
  for (const line of script.split('\n')) {
    if (!line.startsWith('#') && line.trim() !== '') {
      break;
    }
    lines.push(line.replace(/^#+\s?/, ''));
  }
  const text = lines.join('\n').trim();
  return text === '' ? null : text;
}

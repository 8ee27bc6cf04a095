import { shellQuote, shellQuotePath } from '../../text/shell-quote.js';
import { toExtendedPattern } from './extended-pattern.js';

/** What a search prints: matching lines, the paths of files that have some, or how many each has. */
export type SearchMode = 'content' | 'files_only' | 'count';

export interface ContentSearch {
  /** A regular expression. */
  readonly pattern: string;
  readonly path: string;
  /** Globs of file names without slashes; a file must match one. Empty: all files. */
  readonly names: readonly string[];
  readonly mode: SearchMode;
  /** Lines to print around each match. */
  readonly context: number;
  /** Bytes that are printed at most. */
  readonly maxBytes: number;
}

/** Exit code of both commands when the path does not exist. */
export const missingPathCode = 3;

/**
 * The command line of a search in files: ripgrep where there is one, else find and grep. The same folders are skipped
 * and the same order is kept by both, so that the answer does not depend on what is installed, and a replayed rollout
 * sees it again.
 */
export function contentSearchCommand(search: ContentSearch): string {
  const { pattern, path, mode, maxBytes } = search;
  const grepFlags = { content: `-n -C ${search.context}`, files_only: '-l', count: '-c' }[mode];
  return [
    '(',
    existsOrExit(path),
    // The flag is new enough to stand for a ripgrep that knows the others.
    'if rg --max-columns-preview --version >/dev/null 2>&1; then',
    ripgrep(search),
    'else',
    `if printf 'a1\\n' | grep -qP 'a\\d' 2>/dev/null; then set -- -P ${shellQuote(pattern)}`,
    `else set -- -E ${shellQuote(toExtendedPattern(pattern))}; fi`,
    // Not every grep can end paths with NUL or skip binary files.
    'can() { grep "$1" -q x /dev/null 2>/dev/null; [ $? -le 1 ]; }',
    'null=; if can --null; then null=--null; fi',
    'text=; if can -I; then text=-I; fi',
    `${find(path, search.names, ['f'])} | LC_ALL=C sort -z |`,
    `xargs -0 grep -s -H $null $text ${grepFlags} "$1" -e "$2" -- /dev/null`,
    `fi | head -c ${maxBytes}`,
    ')',
  ].join('\n');
}

/** The command line that lists files, each path ended by NUL. */
export function fileSearchCommand(path: string, maxBytes: number): string {
  return [
    '(',
    existsOrExit(path),
    `${find(path, [], ['f', 'l'])} | LC_ALL=C sort -z | head -c ${maxBytes}`,
    ')',
  ].join('\n');
}

function existsOrExit(path: string): string {
  return `[ -e ${shellQuotePath(path)} ] || exit ${missingPathCode}`;
}

function ripgrep({ pattern, path, names, mode, context }: ContentSearch): string {
  const words = [
    ...['rg', '--no-config', '--no-messages', '--hidden', '--no-ignore', '--no-heading'],
    ...['--color', 'never', '--with-filename', '--null', '--sort', 'path'],
    ...['--max-columns', '4000', '--max-columns-preview'],
    ...names.flatMap((name) => ['--glob', name.replace(/^!/, '\\!')]),
    ...excludedIn(path).flatMap((folder) => ['--glob', `!${folder}/`]),
    ...{
      content: ['--line-number', '--context', String(context)],
      files_only: ['--files-with-matches'],
      count: ['--count'],
    }[mode],
    ...['--regexp', pattern],
  ];
  return `${words.map(shellQuote).join(' ')} -- ${shellQuotePath(path)}`;
}

function find(path: string, names: readonly string[], kinds: readonly string[]): string {
  const folders = excludedIn(path).flatMap((folder) => ['-o', '-name', folder]);
  const wanted = names.flatMap((name) => ['-o', '-name', name]);
  const words = [
    ...(folders.length === 0 ? [] : ['-type', 'd', '(', ...folders.slice(1), ')', '-prune', '-o']),
    ...['(', ...kinds.flatMap((kind) => ['-o', '-type', kind]).slice(1), ')'],
    ...(wanted.length === 0 ? [] : ['(', ...wanted.slice(1), ')']),
    '-print0',
  ];
  return `find -H ${shellQuotePath(path)} ${words.map(shellQuote).join(' ')} 2>/dev/null`;
}

/** Folders that hold no work of the agent and much of everything; a search that starts in one does look there. */
function excludedIn(path: string): readonly string[] {
  const parts = path.split('/');
  return excludedFolders.filter((folder) => !parts.includes(folder));
}

const excludedFolders: readonly string[] = [
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '__pycache__',
  '.venv',
  '.tox',
  '.mypy_cache',
];

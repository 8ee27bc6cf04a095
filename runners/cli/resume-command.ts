import { isPiped } from '../config/is-piped.js';

/**
 * The command line that goes on with a run: the same as the one that began it, with `--resume`. A configuration that came
 * through a pipe is gone: the run directory holds a copy.
 */
export function resumeCommand(argv: readonly string[], directory: string): string {
  const again = argv.map((word) => (word === '-' || isPiped(word) ? directory : word));
  const words = again.some((word) => /^--resume(=|$)/.test(word)) ? again : [...again, '--resume'];
  return ['talaria', 'run', ...withoutKey(words)].map(quoted).join(' ');
}

/** Keys belong neither on a screen nor in a log. */
function withoutKey(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    if (/^--api[-_]key=/.test(word)) {
      return `${word.slice(0, word.indexOf('='))}=...`;
    }
    return /^--api[-_]key$/.test(words[index - 1] ?? '') ? '...' : word;
  });
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

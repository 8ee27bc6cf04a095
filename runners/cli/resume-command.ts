/** The command line that goes on with a run: the same as the one that began it, with `--resume`. */
export function resumeCommand(argv: readonly string[]): string {
  const words = argv.some((word) => /^--resume(=|$)/.test(word)) ? argv : [...argv, '--resume'];
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

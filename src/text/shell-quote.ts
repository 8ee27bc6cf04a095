/**
 * One word of a POSIX shell command line that stands for exactly `text`. Nothing in it is expanded.
 * A NUL cannot be part of an argument and is dropped.
 */
export function shellQuote(text: string): string {
  const clean = text.replaceAll('\0', '');
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(clean)) {
    return clean;
  }
  return `'${clean.replaceAll("'", `'\\''`)}'`;
}

/** A path as an argument that no program takes for an option. */
export function shellQuotePath(path: string): string {
  return shellQuote(path.startsWith('-') ? `./${path}` : path);
}

/** The command line that runs `script` with `sh`, the arguments as $1, $2, ...: nothing is pasted into the script. */
export function shellScript(script: string, args: readonly string[]): string {
  return ['sh', '-c', shellQuote(script), 'sh', ...args.map(shellQuote)].join(' ');
}

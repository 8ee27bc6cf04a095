import { parseCommand, type SimpleCommand, UnreadableCommand } from './parse-command.js';

/** Programs that run another one: after options, and so many words of their own. */
const wrappers: ReadonlyMap<string, number> = new Map([
  ['sudo', 0],
  ['doas', 0],
  ['env', 0],
  ['exec', 0],
  ['command', 0],
  ['builtin', 0],
  ['nohup', 0],
  ['setsid', 0],
  ['time', 0],
  ['nice', 0],
  ['ionice', 0],
  ['stdbuf', 0],
  ['timeout', 1],
  ['busybox', 0],
  ['toybox', 0],
  ['xargs', 0],
  ['chroot', 1],
  ['unshare', 0],
  ['then', 0],
  ['else', 0],
  ['do', 0],
  ['if', 0],
  ['while', 0],
  ['until', 0],
  ['!', 0],
  ['{', 0],
]);

/** Options of wrappers that have a word of their own after them. */
const withValue = /^-(u|g|n|c|p|k|s|S|h|C|I|P|L|d|a|i|o|e|E)$/;
const shells = /^(ba|da|z|k|a|fi)?sh$/;
const deepest = 20;

/**
 * The commands of a command line without what only wraps them (`sudo`, `env`, `timeout 5`, ...), their program first and
 * without its directory. Those that a shell or `eval` is given as text are among them. Throws {@link UnreadableCommand}.
 */
export function effectiveCommands(text: string, depth = 0): readonly SimpleCommand[] {
  if (depth > deepest) {
    throw new UnreadableCommand('it is nested too deep');
  }
  return parseCommand(text).flatMap((command) => {
    const words = peeled(command.words);
    const [program = '', ...args] = words;
    const payload = shells.test(program)
      ? payloadOf(args)
      : program === 'eval'
        ? args.join(' ')
        : null;
    return [
      { ...command, words },
      ...(payload === null ? [] : effectiveCommands(payload, depth + 1)),
    ];
  });
}

function peeled(words: readonly string[]): readonly string[] {
  let rest = [...words];
  for (let round = 0; round < deepest; round += 1) {
    while (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(rest[0] ?? '')) {
      rest = rest.slice(1);
    }
    const program = baseName(rest[0] ?? '');
    const own = wrappers.get(program);
    if (own === undefined) {
      return rest.length === 0 ? rest : [program, ...rest.slice(1)];
    }
    rest = rest.slice(1);
    while ((rest[0] ?? '').startsWith('-') && rest.length > 1) {
      rest = rest.slice(withValue.test(rest[0] ?? '') && !isProgram(rest[1] ?? '') ? 2 : 1);
    }
    rest = rest.slice(own);
  }
  return rest;
}

/** What an option's value would hardly be. */
function isProgram(word: string): boolean {
  return /^(rm|dd|sh|bash|mkfs.*|kill|chmod|chown|shred|wipefs|reboot|shutdown)$/.test(word);
}

/** The text behind `-c`, also in `-lc`. */
function payloadOf(args: readonly string[]): string | null {
  const at = args.findIndex((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg));
  return at < 0 ? null : (args.slice(at + 1).find((arg) => !arg.startsWith('-')) ?? null);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

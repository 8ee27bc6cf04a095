import { posix } from 'node:path';
import { usageError } from '../errors.js';
import { shellQuote } from '../text/shell-quote.js';

/** What a session's shell begins with. */
export interface ShellStart {
  readonly directory: string;
  /** The whole environment; nothing else is exported. */
  readonly environment: { readonly [name: string]: string };
}

/** What holds for one command alone. */
export interface CommandOverlay {
  readonly cwd?: string | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
}

/**
 * Shell text that gives a new session its directory and its variables. Where the directory is gone or closed, a parent of
 * it has to do, as for later commands: an agent must not be able to keep others from running a command at all.
 */
export function startPrelude({ directory, environment }: ShellStart): string {
  const exports = Object.entries(environment).map(
    ([name, value]) => `export ${variableName(name)}=${variableValue(name, value)}`,
  );
  return [...exports, enterText(directory)].join('\n');
}

/** Shell text that enters an absolute directory, or the nearest parent of it that can be entered. */
export function enterText(directory: string): string {
  return `_t_go ${shellPath(directory)}`;
}

/**
 * Shell text that sets the directory and the variables of one command, and that has the dispatcher put back what they
 * covered before it stores the session's state.
 */
export function overlayPrelude({ cwd, env }: CommandOverlay): string {
  const lines: string[] = [];
  const names = Object.keys(env ?? {}).map(variableName);
  if (names.length > 0) {
    for (const name of names) {
      lines.push(`_t_had_${name}=\${${name}+1} _t_was_${name}=\${${name}-}`);
    }
    const restore = names.map(
      (name) => `if [ -n "$_t_had_${name}" ]; then ${name}=$_t_was_${name}; else unset ${name}; fi`,
    );
    lines.push(`_t_restore() { ${restore.join('; ')}; }`);
    for (const [name, value] of Object.entries(env ?? {})) {
      lines.push(`export ${name}=${variableValue(name, value)}`);
    }
  }
  if (cwd !== undefined) {
    lines.push('_t_cwd=$PWD _t_keep=1', `cd -- ${shellPath(cwd)} || exit 1`);
  }
  return lines.join('\n');
}

/** A path as one word of the shell that no program takes for an option, and `cd` not for "the one before". */
export function shellPath(path: string): string {
  if (path.includes('\0')) {
    throw usageError(`A path cannot hold a NUL byte: ${JSON.stringify(path)}.`);
  }
  return shellQuote(posix.isAbsolute(path) ? path : `./${path}`);
}

function variableName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith('_t_')) {
    throw usageError(
      `${JSON.stringify(name)} cannot be the name of an environment variable: use letters, digits and underscores.`,
    );
  }
  return name;
}

function variableValue(name: string, value: string): string {
  if (value.includes('\0')) {
    throw usageError(`The environment variable ${name} cannot hold a NUL byte.`);
  }
  return shellQuote(value);
}

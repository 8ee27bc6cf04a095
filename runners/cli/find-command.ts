import { usageError } from '../../src/errors.js';
import { didYouMean, nearestName } from '../../src/text/nearest-name.js';
import type { Command } from './command.js';
import { commands } from './commands.js';

/** The command of that name. Throws a usage error that names the nearest one. */
export function findCommand(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found === undefined) {
    const names = commands.map((command) => command.name);
    throw usageError(
      `Unknown ${name.startsWith('-') ? 'flag' : 'command'} "${name}"${didYouMean(nearestName(name, names))} There are ${names.join(', ')}.`,
    );
  }
  return found;
}

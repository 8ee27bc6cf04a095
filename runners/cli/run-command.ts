import { readFile } from 'node:fs/promises';
import type { CommandContext } from './command-context.js';
import { exitCode } from './exit-codes.js';
import { findCommand } from './find-command.js';

/**
 * Runs one command line and resolves to its exit code. Never rejects. Each part is imported when it is needed, so that
 * `--help` and `--version` load nothing else.
 */
export async function runCommand(
  argv: readonly string[],
  context: CommandContext,
): Promise<number> {
  try {
    const [name, ...rest] = argv;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const { commandHelp, mainHelp } = await import('./help.js');
      const topic = name === 'help' ? rest[0] : undefined;
      const text = topic === undefined ? mainHelp() : commandHelp(findCommand(topic));
      await (name === undefined ? context.stderr : context.stdout).write(text);
      return name === undefined ? exitCode.usage : exitCode.done;
    }
    if (name === '--version' || name === '-V') {
      await context.stdout.write(`${await version()}\n`);
      return exitCode.done;
    }
    const command = findCommand(name);
    const end = rest.indexOf('--');
    if (
      (end === -1 ? rest : rest.slice(0, end)).some((word) => word === '--help' || word === '-h')
    ) {
      const { commandHelp } = await import('./help.js');
      await context.stdout.write(commandHelp(command));
      return exitCode.done;
    }
    const { parseArguments } = await import('./parse-arguments.js');
    const body = await command.load();
    return await body(parseArguments(command, rest), context);
  } catch (thrown) {
    const { renderError } = await import('./render-error.js');
    const { text, code } = renderError(thrown, (context.env['TALARIA_DEBUG'] ?? '') !== '');
    await context.stderr.write(text);
    return code;
  }
}

async function version(): Promise<string> {
  // From dist/runners/cli, and from runners/cli in tests.
  for (const up of ['../../../package.json', '../../package.json']) {
    const text = await readFile(new URL(up, import.meta.url), 'utf8').catch(() => null);
    const parsed = text === null ? null : (JSON.parse(text) as { name?: string; version?: string });
    if (parsed?.name === 'talaria') {
      return parsed.version ?? 'unknown';
    }
  }
  return 'unknown';
}

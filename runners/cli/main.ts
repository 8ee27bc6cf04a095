#!/usr/bin/env node
import { isatty } from 'node:tty';
import { systemClock } from '../../src/clock.js';
import { realServices } from './cli-services.js';
import { exitCode } from './exit-codes.js';
import { watchInterrupts } from './interrupts.js';
import { processOutput } from './process-output.js';
import { runCommand } from './run-command.js';

/** The terminals among the standard streams, as they were at the start. */
const terminals = [0, 1, 2].filter((stream) => isatty(stream));

// The one place that reads the process's arguments and environment, and that ends it.
const code = await runCommand(process.argv.slice(2), {
  stdout: processOutput(process.stdout),
  stderr: processOutput(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  interrupts: () =>
    watchInterrupts({
      source: process,
      hasTerminal: terminals.length > 0,
      leave: () => end(exitCode.interrupted),
    }),
  services: realServices,
});
end(code);

function end(status: number): never {
  if (terminals.some((stream) => !isatty(stream))) {
    // The terminal was closed. Node would abort, with a core file, since it cannot give it back its mode.
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(status);
}

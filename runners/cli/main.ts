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

/** The real one: while users' modules are open it is another. */
const exit: (status: number) => never = process.exit.bind(process);
const stdout = processOutput(process.stdout);
const stderr = processOutput(process.stderr);

// The one place that reads the process's arguments and environment, and that ends it.
const code = await runCommand(process.argv.slice(2), {
  stdout,
  stderr,
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
if (stdout.failure !== null) {
  await stderr.write(`talaria: What belongs to stdout could not be written: ${stdout.failure}\n`);
  end(code === exitCode.done ? exitCode.failed : code);
}
end(code);

function end(status: number): never {
  if (terminals.some((stream) => !isatty(stream))) {
    // The terminal was closed. Node would abort, with a core file, since it cannot give it back its mode.
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  exit(status);
}

#!/usr/bin/env node
import { systemClock } from '../../src/clock.js';
import { realServices } from './cli-services.js';
import { watchInterrupts } from './interrupts.js';
import { processOutput } from './process-output.js';
import { runCommand } from './run-command.js';

// The one place that reads the process's arguments and environment, and that ends it.
const code = await runCommand(process.argv.slice(2), {
  stdout: processOutput(process.stdout),
  stderr: processOutput(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  interrupts: () => watchInterrupts(process, () => process.exit(130)),
  services: realServices,
});
process.exit(code);

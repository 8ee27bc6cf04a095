import { usageError } from '../../../src/errors.js';
import { jsonLine } from '../../../src/text/json-line.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { chooseReporter } from '../choose-reporter.js';
import { paintFor } from '../colours.js';
import type { CommandBody } from '../command.js';
import { dryRunText } from '../dry-run-text.js';
import { exitCode } from '../exit-codes.js';
import { finishRun } from '../finish-run.js';
import { readRunConfig } from '../read-run-config.js';
import { resumeCommand } from '../resume-command.js';
import { list } from './list.js';

/** `talaria run [config.yaml] [options]` */
export const run: CommandBody = async (parsed, context) => {
  const { flags, notes, argv } = parsed;
  if (flags.has('list-distributions')) {
    return list({ ...parsed, positionals: ['distributions'] }, context);
  }
  const how = { json: flags.has('json'), quiet: flags.has('quiet') };
  if (how.json && how.quiet) {
    throw usageError('Give either --json or --quiet, not both.');
  }
  const config = await readRunConfig(parsed, context);
  const { services, stdout } = context;
  if (flags.has('dry-run')) {
    const report = await services.dryRun(config, context.env);
    const paint = paintFor(stdout.isTerminal, context.env);
    await stdout.write(how.json ? `${jsonLine(report)}\n` : dryRunText(config, report, paint));
    return exitCode.done;
  }
  const reporter = await chooseReporter(context, how);
  for (const message of notes) {
    reporter.onNotice?.({ level: 'info', code: 'original_flag', message });
  }
  const resume = resumeCommand(argv, config.out);
  const interrupts = context.interrupts();
  let running = true;
  interrupts.onInterrupt((level) => {
    if (level === 'leave') {
      // The bar hides the cursor.
      reporter.onEnd?.();
    } else if (running) {
      const [code, message] = interruptTexts(config)[level];
      reporter.onNotice?.({ level: 'info', code, message });
    }
  });
  const result = await services.runBatch({
    config,
    resume: flags.has('resume'),
    reporter,
    environment: context.env,
    drain: interrupts.drain,
    cancel: interrupts.cancel,
  });
  running = false;
  return finishRun(config, result, context, {
    ...how,
    resumeCommand: resume,
    signal: interrupts.drain,
  });
};

function interruptTexts({ run }: ResolvedConfig) {
  return {
    drain: [
      'draining',
      `Interrupted: no new work; what runs may finish within ${run.graceMs / 1000} s. Once more cancels at once.`,
    ],
    cancel: ['cancelling', 'Cancelling at once.'],
    ignored: [
      'hang_up_ignored',
      'A hang-up is ignored, since the run has no terminal; SIGTERM and SIGINT interrupt it.',
    ],
  } as const;
}

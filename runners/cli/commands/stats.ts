import { jsonLine } from '../../../src/text/json-line.js';
import type { CommandBody } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { findRun } from '../find-run.js';
import { statsJson } from '../stats-json.js';
import { statsText } from '../stats-text.js';

/** `talaria stats <run> [--json]` */
export const stats: CommandBody = async ({ positionals: [run = ''], flags }, context) => {
  const reader = await context.services.openRunReader(findRun(run, context.cwd));
  try {
    const found = reader.stats();
    await context.stdout.write(
      flags.has('json')
        ? `${jsonLine(statsJson(reader.name, reader.runId, found), 2)}\n`
        : statsText(reader.name, found),
    );
  } finally {
    reader.close();
  }
  return exitCode.done;
};

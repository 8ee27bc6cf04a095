import { jsonLine } from '../../../src/text/json-line.js';
import { safeForTerminal } from '../../../src/text/safe-for-terminal.js';
import { notSwept, sandboxesOf } from '../../batch/sweep-sandboxes.js';
import type { CommandBody } from '../command.js';
import { exitCode } from '../exit-codes.js';

/** `talaria clean [--json]` */
export const clean: CommandBody = async ({ flags }, { services, stdout, stderr }) => {
  const swept = await services.sweep();
  const problems = swept.filter(({ problem }) => problem !== null);
  if (flags.has('json')) {
    await stdout.write(`${jsonLine(swept)}\n`);
  } else {
    const removed = swept.filter((kind) => kind.removed > 0);
    await stdout.write(
      removed.length === 0
        ? 'Nothing to remove: no sandbox of a process that is dead.\n'
        : `Removed ${removed.map((one) => sandboxesOf(one.kind, one.removed)).join(', ')}.\n`,
    );
    for (const { kind, problem } of problems) {
      await stderr.write(`talaria: ${safeForTerminal(notSwept(kind, problem ?? ''))}\n`);
    }
  }
  return problems.length === 0 ? exitCode.done : exitCode.failed;
};

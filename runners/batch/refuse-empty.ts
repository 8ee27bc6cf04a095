import type { Environment } from '../../environments/environment.js';
import { TalariaError } from '../../src/errors.js';
import { counted } from '../../src/text/counted.js';

/** Throws `data_set` when an environment that was read to its end had no task: a run of nothing is a mistake. */
export function refuseEmpty(tasks: number, environment: Environment, source: string): void {
  if (tasks > 0) {
    return;
  }
  const skipped = environment.skippedRows?.() ?? 0;
  throw new TalariaError({
    code: 'data_set',
    message:
      skipped > 0
        ? `There is no task in ${source}: ${counted(skipped, 'bad row')} skipped, and no other. Without on_bad_row: skip the first is told.`
        : `There is no task in ${source}. Each line of a data set holds one, for example {"prompt": "..."}.`,
  });
}

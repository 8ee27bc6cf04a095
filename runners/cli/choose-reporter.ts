import { combineReporters } from '../reporters/combine-reporters.js';
import { failureObserver } from '../reporters/failure-observer.js';
import { jsonReporter } from '../reporters/json-reporter.js';
import { lineReporter } from '../reporters/line-reporter.js';
import { quietReporter } from '../reporters/quiet-reporter.js';
import type { Reporter } from '../reporters/reporter.js';
import type { CommandContext } from './command-context.js';

/** JSON lines, nothing, a bar on a terminal that can move its cursor, or lines elsewhere; the first failures are told in each. */
export async function chooseReporter(
  { stderr, clock, env }: CommandContext,
  how: { readonly json: boolean; readonly quiet: boolean },
): Promise<Reporter> {
  const write = (text: string) => void stderr.write(text);
  let display: Reporter;
  if (how.json) {
    display = jsonReporter({ write, clock });
  } else if (how.quiet) {
    display = quietReporter(write);
  } else if (stderr.isTerminal && stderr.stream !== null && env['TERM'] !== 'dumb') {
    const { barReporter } = await import('../reporters/bar-reporter.js');
    display = barReporter(stderr.stream);
  } else {
    display = lineReporter({ write, clock });
  }
  return combineReporters([failureObserver((notice) => display.onNotice?.(notice)), display]);
}

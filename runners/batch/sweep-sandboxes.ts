import { messageOf } from '../../src/errors.js';
import { sandboxProviderLoaders } from '../../src/sandbox/providers/index.generated.js';
import { counted } from '../../src/text/counted.js';
import type { Reporter } from '../reporters/reporter.js';

/** Removes what crashed runs left, of every kind of sandbox. A sweep that fails is told and stops nothing. */
export async function sweepSandboxes(reporter: Reporter): Promise<void> {
  for (const [kind, load] of Object.entries(sandboxProviderLoaders)) {
    try {
      const provider = await load();
      const removed = await provider.sweep();
      if (removed > 0) {
        reporter.onNotice?.({
          level: 'info',
          code: 'swept',
          message: `Removed ${counted(removed, `${kind} sandbox`, { plural: `${kind} sandboxes` })} that an earlier process left.`,
        });
      }
    } catch (thrown) {
      reporter.onNotice?.({
        level: 'warning',
        code: 'sweep_failed',
        message: `Could not look for ${kind} sandboxes that an earlier process left: ${messageOf(thrown)}`,
      });
    }
  }
}

import { messageOf } from '../../src/errors.js';
import { sandboxProviderLoaders } from '../../src/sandbox/providers/index.generated.js';
import { counted } from '../../src/text/counted.js';
import type { Reporter } from '../reporters/reporter.js';

/** What became of one kind of sandbox. */
export interface SweptKind {
  readonly kind: string;
  /** Sandboxes of dead owners that were removed. */
  readonly removed: number;
  /** Why they could not be looked for, or null. */
  readonly problem: string | null;
}

/** Removes what processes that are dead left, of every kind of sandbox. Never rejects. */
export async function sweepEveryKind(): Promise<readonly SweptKind[]> {
  const swept: SweptKind[] = [];
  for (const [kind, load] of Object.entries(sandboxProviderLoaders)) {
    try {
      swept.push({ kind, removed: await (await load()).sweep(), problem: null });
    } catch (thrown) {
      swept.push({ kind, removed: 0, problem: messageOf(thrown) });
    }
  }
  return swept;
}

/** The same at the start of a run: a sweep that fails is told and stops nothing. */
export async function sweepSandboxes(reporter: Reporter): Promise<void> {
  for (const { kind, removed, problem } of await sweepEveryKind()) {
    if (removed > 0) {
      reporter.onNotice?.({
        level: 'info',
        code: 'swept',
        message: `Removed ${sandboxesOf(kind, removed)} that an earlier process left.`,
      });
    }
    if (problem !== null) {
      reporter.onNotice?.({
        level: 'warning',
        code: 'sweep_failed',
        message: notSwept(kind, problem),
      });
    }
  }
}

/** `3 docker sandboxes` */
export function sandboxesOf(kind: string, count: number): string {
  return counted(count, `${kind} sandbox`, { plural: `${kind} sandboxes` });
}

/** A sentence for the user. */
export function notSwept(kind: string, problem: string): string {
  return `Could not look for ${kind} sandboxes that an earlier process left: ${problem}`;
}

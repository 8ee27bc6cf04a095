import type { ToolMessage } from '../messages/message.js';
import type { ToolStat } from '../rollout/record.js';

/**
 * Calls and successes by tool name, by what dispatch said and never by reading the text. Always
 * count = success + failure: a cancelled call had no outcome, so it is not counted.
 */
export class ToolTally {
  readonly #stats = new Map<string, { count: number; success: number; failure: number }>();

  add(result: ToolMessage): void {
    if (result.status === 'cancelled') {
      return;
    }
    const stat = this.#stats.get(result.name) ?? { count: 0, success: 0, failure: 0 };
    stat.count += 1;
    if (result.status === 'ok') {
      stat.success += 1;
    } else {
      stat.failure += 1;
    }
    this.#stats.set(result.name, stat);
  }

  /** Own properties only, so that a tool which a model calls `__proto__` is a name like another. */
  toObject(): { readonly [tool: string]: ToolStat } {
    return Object.fromEntries(this.#stats);
  }
}

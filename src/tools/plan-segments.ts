import type { Tool } from './tool.js';

/**
 * Splits the calls of one message into segments that run one after another; the calls inside a segment may run at the
 * same time. Consecutive `read` calls share a segment; a `write` or a `command` has one of its own, so that what came
 * before has ended and what comes after has not begun. Null is a call that will not be run, which holds up nothing.
 * Each segment lists positions in ascending order.
 */
export function planSegments(
  effects: readonly (Tool['effect'] | null)[],
): readonly (readonly number[])[] {
  const segments: number[][] = [];
  let open: number[] | null = null;
  for (const [index, effect] of effects.entries()) {
    if (effect === 'write' || effect === 'command') {
      segments.push([index]);
      open = null;
    } else if (open === null) {
      open = [index];
      segments.push(open);
    } else {
      open.push(index);
    }
  }
  return segments;
}

import type { Edit } from './replace-text.js';

/** The edits of a file as a unified diff with three lines of context. `edits` are in order and do not overlap. */
export function unifiedDiff(path: string, before: string, edits: readonly Edit[]): string {
  const lines = before.split('\n');
  const hunks: string[] = [];
  let shift = 0;
  for (const change of changesOf(before, edits)) {
    const first = Math.max(0, change.first - context);
    const last = Math.min(lines.length - 1, change.last + context);
    const removed = lines.slice(change.first, change.last + 1);
    const oldCount = last - first + 1;
    const newCount = oldCount - removed.length + change.lines.length;
    hunks.push(
      `@@ -${first + 1},${oldCount} +${first + 1 + shift},${newCount} @@`,
      ...mark(' ', lines.slice(first, change.first)),
      ...mark('-', removed),
      ...mark('+', change.lines),
      ...mark(' ', lines.slice(change.last + 1, last + 1)),
    );
    shift += newCount - oldCount;
  }
  return [`--- a/${path}`, `+++ b/${path}`, ...hunks].join('\n');
}

const context = 3;

/** Lines `first` to `last` of the text before became `lines`. */
interface Change {
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
}

/** Edits as changes of whole lines; edits whose context would overlap become one. */
function changesOf(before: string, edits: readonly Edit[]): readonly Change[] {
  const groups: Edit[][] = [];
  for (const edit of edits) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    const between = previous === undefined ? null : before.slice(previous.end, edit.start);
    if (group !== undefined && between !== null && between.split('\n').length <= 2 * context + 1) {
      group.push(edit);
    } else {
      groups.push([edit]);
    }
  }
  return groups.map((group) => changeOf(before, group));
}

function changeOf(before: string, group: readonly Edit[]): Change {
  const start = before.lastIndexOf('\n', (group[0]?.start ?? 0) - 1) + 1;
  const lastEnd = group.at(-1)?.end ?? start;
  const lineEnd = before.indexOf('\n', lastEnd);
  const end = lineEnd === -1 ? before.length : lineEnd;
  let text = '';
  let position = start;
  for (const edit of group) {
    text += before.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  text += before.slice(position, end);
  const first = before.slice(0, start).split('\n').length - 1;
  const oldLines = before.slice(start, end).split('\n');
  return trim({ first, last: first + oldLines.length - 1, lines: text.split('\n') }, oldLines);
}

/** Lines that are equal at either side are context, not change. */
function trim(change: Change, oldLines: readonly string[]): Change {
  const most = Math.min(oldLines.length, change.lines.length);
  let head = 0;
  while (head < most && oldLines[head] === change.lines[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < most - head && oldLines.at(-1 - tail) === change.lines.at(-1 - tail)) {
    tail += 1;
  }
  return {
    first: change.first + head,
    last: change.last - tail,
    lines: change.lines.slice(head, change.lines.length - tail),
  };
}

function mark(sign: string, lines: readonly string[]): string[] {
  return lines.map((line) => `${sign}${line.endsWith('\r') ? line.slice(0, -1) : line}`);
}

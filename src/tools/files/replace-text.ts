import { type FoundText, findText, type MatchKind } from './find-text.js';

export interface ReplaceRequest {
  readonly text: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type ReplaceResult =
  | {
      readonly ok: true;
      readonly text: string;
      /** What was replaced, in order, at positions of the text before. */
      readonly edits: readonly Edit[];
      readonly kind: MatchKind;
    }
  | { readonly ok: false; readonly problem: string };

/** Positions are UTF-16 units of the text before. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Replaces a passage. It is searched as written, then without regard to white space at line ends, then without regard
 * to indentation (the new text is then indented as the file is). More than one match is a problem unless all are to be
 * replaced. In a file with CRLF line ends the new text gets them too. Pure.
 */
export function replaceText(request: ReplaceRequest): ReplaceResult {
  const { text, replaceAll } = request;
  const usesCrlf = text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
  const oldText = usesCrlf ? toCrlf(request.oldText) : request.oldText;
  const newText = usesCrlf ? toCrlf(request.newText) : request.newText;
  if (oldText === '') {
    return problem('old_string is empty. To create a file or to replace all of it use write_file.');
  }
  if (oldText === newText) {
    return problem('old_string and new_string are equal: there is nothing to change.');
  }
  const found = findText(text, oldText);
  if (found === null) {
    return problem(notFound(text, oldText));
  }
  if (found.matches.length > 1 && !replaceAll) {
    return problem(ambiguous(text, found));
  }
  const edits = found.matches.map(({ start, end, reindent }) => ({
    start,
    end,
    text: reindent(newText),
  }));
  return { ok: true, text: applyEdits(text, edits), edits, kind: found.kind };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let position = 0;
  for (const edit of edits) {
    parts.push(text.slice(position, edit.start), edit.text);
    position = edit.end;
  }
  parts.push(text.slice(position));
  return parts.join('');
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function ambiguous(text: string, { matches }: FoundText): string {
  const lines = matches.slice(0, 10).map(({ start }) => lineNumber(text, start));
  const more = matches.length > lines.length ? ', ...' : '';
  return `old_string has ${matches.length} matches (at lines ${lines.join(', ')}${more}). Add lines around it until it has one, or set replace_all.`;
}

function notFound(text: string, oldText: string): string {
  const first = oldText
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  const at = first === undefined || first.length < 4 ? -1 : text.indexOf(first);
  const hint =
    at === -1
      ? ''
      : ` Its first line occurs at line ${lineNumber(text, at)}, but what follows differs.`;
  return `old_string was not found.${hint} Read the file again and copy the passage as it is, without line numbers.`;
}

function lineNumber(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

function problem(text: string): ReplaceResult {
  return { ok: false, problem: text };
}

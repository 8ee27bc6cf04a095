import type { ToolContext } from '../tool.js';
import { missingPathCode } from './search-command.js';

/** What a search printed, whole entries only; or why it failed, for the model. */
export type SearchOutput =
  | { readonly ok: true; readonly text: string; readonly cut: boolean }
  | { readonly ok: false; readonly problem: string };

export interface SearchRun {
  readonly path: string;
  /** What ends an entry: an unfinished one at the byte limit is dropped. */
  readonly separator: string | RegExp;
  readonly maxBytes: number;
  readonly context: ToolContext;
}

/** Runs the command line of a search. Rejects when the sandbox is gone. */
export async function runSearch(command: string, run: SearchRun): Promise<SearchOutput> {
  const { path, maxBytes, separator, context } = run;
  const result = await context.sandbox.exec(command, {
    signal: context.signal,
    timeoutMs,
    // More than the command prints, so that nothing is cut out of the middle.
    maxOutputBytes: maxBytes * 3,
  });
  if (result.timedOut) {
    return fail(`The search took longer than ${timeoutMs / 1000} s. Narrow path or file_glob.`);
  }
  if (result.aborted) {
    return fail('The search was stopped.');
  }
  if (result.exitCode === missingPathCode) {
    return fail(`No such file or directory: ${path}`);
  }
  const cut = result.stdout.length >= maxBytes;
  const text = result.stdout.toString('utf8');
  const problem = result.stderr.toString('utf8').trim();
  if (text === '' && problem !== '') {
    return fail(`The search failed: ${problem.slice(0, 500)}`);
  }
  return { ok: true, text: cut ? wholeEntries(text, separator) : text, cut };
}

const timeoutMs = 60_000;

function wholeEntries(text: string, separator: string | RegExp): string {
  const entries = text.split(separator);
  const unfinished = entries.at(-1) ?? '';
  return text.slice(0, text.length - unfinished.length);
}

function fail(problem: string): SearchOutput {
  return { ok: false, problem };
}

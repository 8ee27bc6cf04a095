import type { SandboxSession } from '../../sandbox/sandbox.js';
import { shellScript } from '../../text/shell-quote.js';
import { decodeText } from './decode-text.js';
import { splitLines } from './number-lines.js';

/** Some lines of a file. */
export type LinesOfFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'binary' }
  | {
      readonly kind: 'lines';
      readonly lines: readonly string[];
      readonly totalLines: number;
      readonly sizeBytes: number;
      /** False when bytes that are not UTF-8 were replaced. */
      readonly exact: boolean;
    };

/**
 * Lines `offset` to `offset + limit - 1` (from 1) of a file of any size. A small file is read as it is; of a large one
 * only the window leaves the sandbox, and at most its first megabyte. Rejects for a directory.
 */
export async function readLines(
  sandbox: SandboxSession,
  path: string,
  { offset, limit, signal }: { offset: number; limit: number; signal: AbortSignal },
): Promise<LinesOfFile> {
  const bytes = await sandbox.read(path, { maxBytes: smallFileBytes + 1 });
  if (bytes === null) {
    return { kind: 'missing' };
  }
  const whole = decodeText(bytes);
  if (whole.binary) {
    return { kind: 'binary' };
  }
  if (bytes.length <= smallFileBytes) {
    const lines = splitLines(whole.text);
    return {
      kind: 'lines',
      lines: lines.slice(offset - 1, offset - 1 + limit),
      totalLines: lines.length,
      sizeBytes: bytes.length,
      exact: whole.exact,
    };
  }
  return readWindow(sandbox, path, { offset, limit, signal });
}

const smallFileBytes = 1_000_000;
const windowBytes = 1_000_000;

/** Prints bytes, line ends, whether the last line has an end, then the window. $1 path, $2 first, $3 last line, $4 bytes. */
const windowScript = [
  'printf "%s %s %s\\n" $(wc -c < "$1") $(wc -l < "$1") $(tail -c 1 < "$1" | wc -l)',
  'sed -n "$2,$3p;$3q" < "$1" | head -c "$4"',
].join('\n');

async function readWindow(
  sandbox: SandboxSession,
  path: string,
  { offset, limit, signal }: { offset: number; limit: number; signal: AbortSignal },
): Promise<LinesOfFile> {
  const args = [path, offset, offset + limit - 1, windowBytes].map(String);
  const { stdout, stderr } = await sandbox.exec(shellScript(windowScript, args), {
    signal,
    timeoutMs: 60_000,
    maxOutputBytes: windowBytes * 4,
  });
  const headerEnd = stdout.indexOf(10);
  const numbers = stdout.subarray(0, headerEnd).toString('utf8').split(' ').map(Number);
  const [sizeBytes = Number.NaN, lineEnds = 0, lastHasEnd = 1] = numbers;
  if (headerEnd < 0 || !Number.isFinite(sizeBytes)) {
    throw new Error(stderr.toString('utf8').trim() || 'the file could not be read');
  }
  const window = stdout.subarray(headerEnd + 1);
  // A full window may end inside a line, or a character: what is behind its last line end waits for the next page.
  const lastEnd = window.length >= windowBytes ? window.lastIndexOf(10) : -1;
  const decoded = decodeText(lastEnd === -1 ? window : window.subarray(0, lastEnd + 1));
  if (decoded.binary) {
    return { kind: 'binary' };
  }
  const lines = splitLines(decoded.text);
  return {
    kind: 'lines',
    lines,
    totalLines: lineEnds + (lastHasEnd === 0 ? 1 : 0),
    sizeBytes,
    exact: decoded.exact,
  };
}

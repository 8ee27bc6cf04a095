/** Where a session's directory and exported variables are kept between two commands: two files in turn. */
export class ShellState {
  readonly #name: string;
  #slot = 0;
  #saved = false;

  /** @param name file name, unique in the shell's state directory */
  constructor(name: string) {
    this.#name = name;
  }

  /** File of the last stored state, or null before the first. */
  get current(): string | null {
    return this.#saved ? `${this.#name}.${this.#slot}` : null;
  }

  /** File that the next state goes to. */
  get next(): string {
    return `${this.#name}.${1 - this.#slot}`;
  }

  /** Nothing is stored any more. */
  forget(): void {
    this.#saved = false;
  }

  /** The next state is complete and becomes the current one. */
  advance(): void {
    this.#slot = 1 - this.#slot;
    this.#saved = true;
  }
}

/** One command for a {@link ShellChannel}. */
export interface ShellRequest {
  readonly lane: number;
  readonly state: ShellState;
  /**
   * `session`: with the session's directory and variables, stored again afterwards. `clean`: in its directory, with no
   * variable of it, and nothing stored: for what the host itself wants to know.
   */
  readonly mode: 'session' | 'clean';
  /** Shell text that runs before the command; the first one makes the session's initial state. */
  readonly prelude: (current: string | null) => string;
  readonly command: string;
  readonly stdin: Uint8Array | null;
  readonly mergeStderr: boolean;
  /** Bytes kept of each stream. */
  readonly maxOutputBytes: number;
  readonly timeoutMs: number;
  /** Any of them aborts it. */
  readonly signals: readonly AbortSignal[];
}

/** Longer commands go to the shell as a file: its `read` takes one byte at a time. */
const inlineBytes = 16_384;

/** What to write to the shell for a request. */
export interface EncodedRequest {
  readonly chunks: readonly Uint8Array[];
}

/** Frame of a request, as {@link shellDispatcher} reads it. */
export function encodeRequest(
  request: ShellRequest,
  frame: { readonly token: string; readonly nonce: string; readonly executionId: string },
  stateDirectory: string,
): EncodedRequest {
  const { token, nonce, executionId } = frame;
  const chunks: Uint8Array[] = [];
  const put = (file: string, data: Uint8Array) => {
    chunks.push(Buffer.from(`\n${token} put ${data.length} ${file}\n`), data);
  };
  const hasStdin = request.stdin !== null && request.stdin.length > 0;
  if (request.stdin !== null && hasStdin) {
    put('input/stdin', request.stdin);
  }
  const long = Buffer.byteLength(request.command) > inlineBytes;
  if (long) {
    put('input/command', Buffer.from(request.command));
  }
  const current = request.state.current;
  const prelude = request.prelude(current);
  const [out, err] = lanes[request.lane] ?? lanes[0];
  const header = [
    token,
    'run',
    nonce,
    executionId,
    out,
    request.mergeStderr ? out : err,
    hasStdin ? `${stateDirectory}/input/stdin` : '/dev/null',
    current ?? '-',
    request.mode === 'session' ? request.state.next : '-',
    request.mode,
    lineCount(prelude),
    long ? 'file' : lineCount(request.command),
  ].join(' ');
  const body = prefixed(prelude) + (long ? '' : prefixed(request.command));
  chunks.push(Buffer.from(`\n${header}\n${body}`));
  return { chunks };
}

/** File descriptors of a lane in the dispatcher: it moves 1 and 2 to 5 and 6. */
const lanes: readonly [readonly [number, number], readonly [number, number]] = [
  [5, 6],
  [3, 4],
];

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

function prefixed(text: string): string {
  return text === '' ? '' : `:${text.replaceAll('\n', '\n:')}\n`;
}

/** One command of a command line, as far as it can be told without running it. */
export interface SimpleCommand {
  /** Without quotes; what only the shell could tell stands as it was written, such as `$NAME`. */
  readonly words: readonly string[];
  /** Where its output goes: targets of `>`, `>>`, `>|` and `&>`. */
  readonly outputs: readonly string[];
  /** Whether its input is the output of the command before it. */
  readonly piped: boolean;
}

/** A command line that no shell would take, or that is nested deeper than anybody writes. */
export class UnreadableCommand extends Error {}

const deepest = 20;

/**
 * The commands of a POSIX shell command line, also those in `$(...)`, in backquotes and in parentheses, by reading quotes,
 * backslashes and separators as a shell does. `$IFS` is the space that it stands for, `$HOME` is `~`. Text of
 * here-documents is read as commands: better one too many than one too few. Throws {@link UnreadableCommand}.
 */
export function parseCommand(text: string, depth = 0): readonly SimpleCommand[] {
  if (depth > deepest) {
    throw new UnreadableCommand('it is nested too deep');
  }
  return new Reader(withoutDisguise(text), depth).read();
}

/** Terminal escapes, NUL bytes and letters that only look like others. */
function withoutDisguise(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
      .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
      .replaceAll('\0', '')
      .replaceAll('\\\n', '')
      .normalize('NFKC')
  );
}

class Reader {
  readonly #text: string;
  readonly #depth: number;
  readonly #commands: SimpleCommand[] = [];
  #at = 0;
  #words: string[] = [];
  #outputs: string[] = [];
  #word: string | null = null;
  #isOutput = false;
  #piped = false;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  read(): readonly SimpleCommand[] {
    while (this.#at < this.#text.length) {
      this.#step();
    }
    this.#endCommand(false);
    return this.#commands;
  }

  #step(): void {
    const char = this.#text[this.#at] ?? '';
    this.#at += 1;
    switch (char) {
      case "'":
        this.#add(this.#until("'"));
        break;
      case '"':
        this.#doubleQuoted();
        break;
      case '\\':
        this.#add(this.#text[this.#at] ?? '');
        this.#at += 1;
        break;
      case '`':
        this.#inner(this.#until('`'));
        break;
      case '$':
        this.#dollar(false);
        break;
      case ' ':
      case '\t':
        this.#endWord();
        break;
      case '#':
        if (this.#word === null) {
          this.#skipLine();
        } else {
          this.#add(char);
        }
        break;
      case '>':
        this.#redirect();
        break;
      case '<':
        this.#endWord();
        break;
      case '&':
        this.#ampersand();
        break;
      case '|':
        this.#skipWhile('|&');
        this.#endCommand(this.#text[this.#at - 1] === '|' && this.#text[this.#at - 2] !== '|');
        break;
      case ';':
      case '\n':
      case '(':
      case ')':
        this.#endCommand(false);
        break;
      default:
        this.#add(char);
    }
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    if (this.#word !== null) {
      (this.#isOutput ? this.#outputs : this.#words).push(this.#word);
      this.#isOutput = false;
      this.#word = null;
    }
  }

  #endCommand(pipesOn: boolean): void {
    this.#endWord();
    if (this.#words.length > 0 || this.#outputs.length > 0) {
      this.#commands.push({ words: this.#words, outputs: this.#outputs, piped: this.#piped });
    }
    this.#words = [];
    this.#outputs = [];
    this.#isOutput = false;
    this.#piped = pipesOn;
  }

  /** `>`, `>>`, `>|`; a number before it is the stream's, `>&1` goes to no file. */
  #redirect(): void {
    if (/^\d+$/.test(this.#word ?? '')) {
      this.#word = null;
    }
    this.#endWord();
    this.#skipWhile('>|');
    if (this.#text[this.#at] === '&') {
      this.#at += 1;
    }
    this.#isOutput = true;
  }

  #ampersand(): void {
    if (this.#text[this.#at] === '>') {
      this.#endWord();
      this.#skipWhile('>');
      this.#isOutput = true;
      return;
    }
    this.#skipWhile('&');
    this.#endCommand(false);
  }

  #doubleQuoted(): void {
    this.#add('');
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) {
        throw new UnreadableCommand('a quote in it is not closed');
      }
      this.#at += 1;
      if (char === '"') {
        return;
      }
      if (char === '\\') {
        this.#add(this.#text[this.#at] ?? '');
        this.#at += 1;
      } else if (char === '$') {
        this.#dollar(true);
      } else if (char === '`') {
        this.#inner(this.#until('`'));
      } else {
        this.#add(char);
      }
    }
  }

  #dollar(quoted: boolean): void {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith('(')) {
      this.#at += 1;
      this.#inner(this.#untilClosed());
      return;
    }
    if (rest.startsWith("'") && !quoted) {
      this.#at += 1;
      this.#add(unescaped(this.#until("'")));
      return;
    }
    const name = /^(?:\{([A-Za-z_][A-Za-z0-9_]*)[^}]*\}|([A-Za-z_][A-Za-z0-9_]*))/.exec(rest);
    if (name === null) {
      this.#add('$');
      return;
    }
    this.#at += name[0].length;
    const variable = name[1] ?? name[2] ?? '';
    if (variable === 'IFS' && !quoted) {
      this.#endWord();
    } else {
      this.#add(variable === 'HOME' ? '~' : `$${variable}`);
    }
  }

  /** Commands within a word: they run, whatever becomes of the word. */
  #inner(text: string): void {
    this.#add('$()');
    this.#commands.push(...parseCommand(text, this.#depth + 1));
  }

  #until(end: string): string {
    const at = this.#text.indexOf(end, this.#at);
    if (at < 0) {
      throw new UnreadableCommand('a quote in it is not closed');
    }
    const text = this.#text.slice(this.#at, at);
    this.#at = at + 1;
    this.#add('');
    return text;
  }

  /** The text up to the parenthesis that closes the one before it. */
  #untilClosed(): string {
    const start = this.#at;
    for (let open = 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at];
      if (char === '\\') {
        this.#at += 1;
      } else if (char === "'" || char === '"') {
        const end = this.#text.indexOf(char, this.#at + 1);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (char === '(') {
        open += 1;
      } else if (char === ')') {
        open -= 1;
        if (open === 0) {
          this.#at += 1;
          return this.#text.slice(start, this.#at - 1);
        }
      }
    }
    throw new UnreadableCommand('a parenthesis in it is not closed');
  }

  #skipWhile(chars: string): void {
    while (this.#at < this.#text.length && chars.includes(this.#text[this.#at] ?? '')) {
      this.#at += 1;
    }
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }
}

/** The escapes of `$'...'` that can spell a name. */
function unescaped(text: string): string {
  return text.replace(
    /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)/g,
    (_, code: string) => {
      if (code.startsWith('x') || code.startsWith('u')) {
        return String.fromCharCode(Number.parseInt(code.slice(1), 16));
      }
      return /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : code;
    },
  );
}

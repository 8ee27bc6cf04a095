/** Text of a reply with its reasoning apart. */
export interface SplitReply {
  readonly content: string;
  /** The blocks' texts, in order, with an empty line between them; null when there is none. */
  readonly reasoning: string | null;
}

const tagNames = ['think', 'thinking', 'reasoning', 'thought', 'reasoning_scratchpad'];
const names = tagNames.join('|');
const anyTag = new RegExp(`</?(?:${names})\\s*>`, 'i');
/** At a block boundary, so only white space may stand before it. */
const opener = new RegExp(`[ \\t]*<(${names})\\s*>`, 'iy');
const boundaryCloser = new RegExp(`[ \\t]*</(?:${names})\\s*>`, 'iy');
const anyCloser = new RegExp(`</(?:${names})\\s*>`, 'gi');
const ownClosers = new Map(tagNames.map((name) => [name, new RegExp(`</${name}\\s*>`, 'gi')]));
const lineTag = new RegExp(`<(/?)(${names})\\s*>`, 'gi');
const fence = /[ \t]{0,3}(`{3,}|~{3,})(.*)/y;

/**
 * Splits the reasoning out of a whole reply: `<think>`, `<thinking>`, `<reasoning>`, `<thought>` and
 * `<REASONING_SCRATCHPAD>` blocks, in any case. A block begins at the start of a line, or where another block ended;
 * without an end it reaches to the end of the text. Closing tags that close nothing are dropped. A tag within a line
 * or within a code fence is content. Text without a block comes back as it is; otherwise white space around the
 * content goes. Takes time linear in the text.
 */
export function splitReasoning(text: string): SplitReply {
  if (!anyTag.test(text)) {
    return { content: text, reasoning: null };
  }
  const content: string[] = [];
  const reasoning: string[] = [];
  const closers = closerFinder(text);
  let openFence: string | null = null;
  let removed = false;
  let position = 0;
  while (position < text.length) {
    if (openFence === null) {
      const opened = matchAt(opener, text, position);
      if (opened !== null) {
        const start = position + opened[0].length;
        const closer = closers(opened[1] ?? '', start);
        reasoning.push(text.slice(start, closer.start).trim());
        position = closer.end;
        removed = true;
        continue;
      }
      const orphan = matchAt(boundaryCloser, text, position);
      if (orphan !== null) {
        position += orphan[0].length;
        removed = true;
        continue;
      }
    }
    const newline = text.indexOf('\n', position);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(position, end);
    const fenceAfter = fenceAfterLine(openFence, line);
    const kept = openFence === null && fenceAfter === null ? withoutOrphanClosers(line) : line;
    removed ||= kept !== line;
    content.push(kept);
    openFence = fenceAfter;
    position = end;
  }
  const joined = reasoning.filter((block) => block !== '').join('\n\n');
  return {
    content: removed ? content.join('').trim() : text,
    reasoning: joined === '' ? null : joined,
  };
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

/** The fence that is open after a line, by its marker, or null. Only a longer or equal run of the same mark closes it. */
function fenceAfterLine(openFence: string | null, line: string): string | null {
  const found = matchAt(fence, line, 0);
  const marker = found?.[1];
  if (marker === undefined) {
    return openFence;
  }
  if (openFence === null) {
    // Three backticks with a backtick behind them are inline code on one line.
    return marker.startsWith('`') && found?.[2]?.includes('`') ? null : marker;
  }
  const closes = marker.startsWith(openFence) && found?.[2]?.trim() === '';
  return closes ? null : openFence;
}

/** A closer within a line is content when it belongs to an opener on that line or stands in inline code. */
function withoutOrphanClosers(line: string): string {
  if (!line.includes('</')) {
    return line;
  }
  let literalOpeners = 0;
  return line.replace(lineTag, (tag: string, slash: string, _name: string, offset: number) => {
    if (slash === '') {
      literalOpeners += 1;
      return tag;
    }
    if (literalOpeners > 0) {
      literalOpeners -= 1;
      return tag;
    }
    const inCode = line[offset - 1] === '`' && line[offset + tag.length] === '`';
    return inCode ? tag : '';
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the end of a block: the next closer of its name, else the next of any name (models mix them), else the end of
 * the text. A name that was once not found is not searched for again, which keeps the whole linear.
 */
function closerFinder(text: string): (name: string, from: number) => Span {
  const absent = new Set<string>();
  return (name, from) => {
    const key = name.toLowerCase();
    const ownCloser = absent.has(key) ? undefined : ownClosers.get(key);
    const own = ownCloser === undefined ? null : next(ownCloser, text, from);
    if (own !== null) {
      return own;
    }
    absent.add(key);
    return next(anyCloser, text, from) ?? { start: text.length, end: text.length };
  };
}

function next(pattern: RegExp, text: string, from: number): Span | null {
  const found = matchAt(pattern, text, from);
  return found === null ? null : { start: found.index, end: found.index + found[0].length };
}

/**
 * A test of slash-separated relative paths against a glob: `*` and `?` within a name, `**` across folders, `[a-z]`,
 * `[!a-z]`, `{a,b}`, backslash to escape. A glob without a slash is matched with the last name alone, as in .gitignore; one
 * with a slash with the end of the path that has as many names.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const alternatives = expandBraces(glob.replace(/^(\.?\/)+/, '')).map(
    (one) => new RegExp(`^(?:.*/)?${patternOf(one)}$`, 's'),
  );
  return (path) => alternatives.some((pattern) => pattern.test(path));
}

/** `a.{ts,tsx}` as `a.ts` and `a.tsx`; nested braces too. At most 100: a glob can be made to double with each brace. */
export function expandBraces(glob: string): readonly string[] {
  const done: string[] = [];
  const open = [glob];
  while (open.length > 0 && done.length + open.length <= mostAlternatives) {
    const next = open.shift() ?? '';
    const brace = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (brace === null) {
      done.push(next);
      continue;
    }
    const before = next.slice(0, brace.index);
    const after = next.slice(brace.index + brace[0].length);
    open.push(...(brace[1] ?? '').split(',').map((option) => `${before}${option}${after}`));
  }
  return [...new Set([...done, ...open])].slice(0, mostAlternatives);
}

const mostAlternatives = 100;

function patternOf(glob: string): string {
  let pattern = '';
  for (let index = 0; index < glob.length; index += 1) {
    const rest = glob.slice(index);
    const set = /^\[(!|\^)?(\]?[^\]]*)\]/.exec(rest);
    if (rest.startsWith('**/')) {
      pattern += '(?:[^/]+/)*';
      index += 2;
    } else if (rest.startsWith('**')) {
      pattern += '.*';
      index += 1;
    } else if (rest.startsWith('*')) {
      pattern += '[^/]*';
    } else if (rest.startsWith('?')) {
      pattern += '[^/]';
    } else if (set !== null && set[2] !== '') {
      pattern += `[${set[1] === undefined ? '' : '^'}${(set[2] ?? '').replace(/[\\[\]^]/g, '\\$&')}]`;
      index += set[0].length - 1;
    } else if (rest.startsWith('\\') && rest.length > 1) {
      pattern += escapeLiteral(rest[1] ?? '');
      index += 1;
    } else {
      pattern += escapeLiteral(rest[0] ?? '');
    }
  }
  return pattern;
}

function escapeLiteral(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

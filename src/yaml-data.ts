import {
  type Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import { maxNesting } from './nesting.js';

/** What {@link parseYamlData} found: plain data, or what is wrong and where (both counted from 1). */
export type ParsedYaml =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly line: number;
      readonly column: number;
    };

/** A place in a YAML text, as an offset, with what is wrong there. */
export interface YamlProblem {
  readonly problem: string;
  readonly offset: number;
}

/** Reads one YAML document as data that JSON can hold too. Never throws. */
export function parseYamlData(text: string): ParsedYaml {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const wrong = syntaxProblem(document) ?? findYamlProblem(document.contents, document);
  if (wrong !== null) {
    const { line, col } = lineCounter.linePos(wrong.offset);
    return { ok: false, problem: wrong.problem, line: Math.max(line, 1), column: Math.max(col, 1) };
  }
  return { ok: true, value: document.toJS(unlimited) as unknown };
}

/** Aliases are counted here, and better: the library's own limit is one of copies and not of what they come to. */
const unlimited = { maxAliasCount: -1 };

/** A node as plain data, once {@link findYamlProblem} has found nothing. */
export function yamlValue(node: Node, document: Document): unknown {
  return node.toJS(document, unlimited);
}

/** The first error of the parser, on one line. */
export function syntaxProblem({ errors }: Document): YamlProblem | null {
  const [error] = errors;
  if (error === undefined) {
    return null;
  }
  const [line = ''] = error.message.split('\n');
  const problem = sayings.find(([pattern]) => pattern.test(line))?.[1] ?? line.replace(/:$/, '');
  return { problem, offset: error.pos[0] };
}

const tooDeep = `values are nested more than ${maxNesting} levels deep`;
const sayings: readonly (readonly [RegExp, string])[] = [
  [/call stack/, tooDeep],
  [/multiple documents/, 'a second document begins; there must be only one'],
];

/** Values that aliases may come to, all in all. */
const maxAliased = 100_000;

/**
 * What in a node is no data: aliases that refer to themselves or grow without end, numbers that are not finite, keys
 * that are no plain words, tags. Null when there is nothing.
 */
export function findYamlProblem(root: Node | null, document: Document): YamlProblem | null {
  return root === null ? null : new Search(document).look(root, offsetOf(root), false);
}

class Search {
  readonly #document: Document;
  /** The collections that the node at hand lies in. */
  readonly #around = new Set<unknown>();
  #aliased = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  /** `offset`: where to point. Within an alias that is the alias, since its target may stand anywhere. */
  look(node: unknown, offset: number, aliased: boolean): YamlProblem | null {
    const bad = (problem: string): YamlProblem => ({ problem, offset });
    if (aliased && ++this.#aliased > maxAliased) {
      return bad(`the aliases come to more than ${maxAliased} values`);
    }
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      return this.#around.has(target)
        ? bad(`the alias *${node.source} refers to itself`)
        : this.look(target, offset, true);
    }
    if (isScalar(node)) {
      return lookAtScalar(node.value, node.source, bad) ?? lookAtTag(node.tag, bad);
    }
    if (!isCollection(node)) {
      return null;
    }
    if (this.#around.size >= maxNesting) {
      return bad(tooDeep);
    }
    this.#around.add(node);
    for (const item of node.items) {
      const found = this.#lookAtItem(item, offset, aliased);
      if (found !== null) {
        return found;
      }
    }
    this.#around.delete(node);
    return lookAtTag(node.tag, bad);
  }

  #lookAtItem(item: unknown, around: number, aliased: boolean): YamlProblem | null {
    const place = (node: unknown) => (aliased ? around : offsetOf(node, around));
    if (!isPair(item)) {
      return this.look(item, place(item), aliased);
    }
    const key = isAlias(item.key) ? item.key.resolve(this.#document) : item.key;
    if (!isScalar(key)) {
      return { problem: 'a key must be a plain word', offset: place(item.key) };
    }
    if (key.value === '__proto__') {
      return { problem: 'a key must not be `__proto__`', offset: place(item.key) };
    }
    return this.look(item.value, place(item.value), aliased);
  }
}

function lookAtScalar(
  value: unknown,
  source: string | undefined,
  bad: (problem: string) => YamlProblem,
): YamlProblem | null {
  return typeof value === 'number' && !Number.isFinite(value)
    ? bad(`${source ?? value} is no finite number; put it in quotes if it is text`)
    : null;
}

function lookAtTag(
  tag: string | undefined,
  bad: (problem: string) => YamlProblem,
): YamlProblem | null {
  return tag === undefined || /^tag:yaml\.org,2002:(map|seq|str|null|bool|int|float)$/.test(tag)
    ? null
    : bad(`the tag ${tag.replace('tag:yaml.org,2002:', '!!')} is not understood`);
}

function offsetOf(node: unknown, otherwise = 0): number {
  const { range } = (node ?? {}) as { readonly range?: readonly number[] | null };
  return range?.[0] ?? otherwise;
}

import { readFile, realpath } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { TalariaError } from '../../src/errors.js';
import { fileProblem } from '../../src/file-problem.js';
import { didYouMean } from '../../src/text/nearest-name.js';
import { findYamlProblem, parseYamlData, syntaxProblem, yamlValue } from '../../src/yaml-data.js';
import { isPiped } from './is-piped.js';
import { placeOfKey } from './option-keys.js';
import type { Setting } from './setting.js';
import { substituteVariables, variablesIn } from './substitute-variables.js';

/** Where files are read from, and what `${NAME}` means in them. */
export interface ConfigFileContext {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
}

/**
 * Reads a configuration file and those that it extends, the most basic one first. Throws a TalariaError (`config`)
 * that names file, line and column.
 */
export async function loadConfigFile(
  file: string,
  context: ConfigFileContext,
): Promise<readonly Setting[]> {
  const chain = await readChain(resolve(context.cwd, file), context, []);
  return chain.flatMap((settings, layer) =>
    settings.map((setting) => ({ ...setting, origin: { ...setting.origin, layer } })),
  );
}

async function readChain(
  file: string,
  context: ConfigFileContext,
  extendedBy: readonly string[],
): Promise<readonly (readonly Setting[])[]> {
  const shown = isPiped(file) ? file : relative(context.cwd, file) || file;
  const [text, real] = await Promise.all([
    readFile(file, 'utf8'),
    // What comes through a pipe (`-`, `<(...)`) has no path.
    realpath(file).catch(() => file),
  ]).catch((thrown) => {
    throw configError(
      `Cannot read the configuration file ${shown}${extendedBy.length > 0 ? `, which ${relative(context.cwd, extendedBy.at(-1) ?? '')} extends` : ''}: ${fileProblem(thrown)}.`,
      thrown,
    );
  });
  if (extendedBy.includes(real)) {
    const loop = [...extendedBy.slice(extendedBy.indexOf(real)), real];
    throw configError(
      `Configuration files extend each other in a circle: ${loop.map((one) => relative(context.cwd, one)).join(' -> ')}`,
    );
  }
  // Relative paths in a file count from its folder; in what came through a pipe, from here.
  const directory = isPiped(file) ? context.cwd : dirname(file);
  const source = new ConfigSource(directory, shown, text, context);
  const base = source.extends;
  const settings = source.settings();
  const below =
    base === null ? [] : await readChain(resolve(directory, base), context, [...extendedBy, real]);
  return [...below, settings];
}

interface Entry {
  readonly key: string;
  readonly node: Node | null;
  readonly raw: unknown;
  readonly position: string;
}

/** One file: its settings with the place of each. */
class ConfigSource {
  readonly extends: string | null = null;
  readonly #shown: string;
  readonly #directory: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  readonly #entries: Entry[] = [];

  constructor(directory: string, shown: string, text: string, context: ConfigFileContext) {
    this.#shown = shown;
    this.#directory = directory;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const root = this.#document.contents;
    const wrong = syntaxProblem(this.#document) ?? findYamlProblem(root, this.#document);
    if (wrong !== null) {
      const { problem, offset } = wrong;
      throw configError(`${this.#place(offset)}: ${problem}${hintOf(text, offset)}`);
    }
    if (isMap(root)) {
      this.#collect(root, '');
    } else if (root !== null && !(isScalar(root) && root.value === null)) {
      throw configError(`${shown}:1:1: expected a mapping of options, such as "model:"`);
    }
    this.#substitute(context);
    const base = this.#entries.find((entry) => entry.key === 'extends');
    if (base !== undefined) {
      const value = base.node?.toJS(this.#document);
      if (typeof value !== 'string' || value === '') {
        throw configError(`${base.position}: expected \`extends\` to be the path of one file`);
      }
      this.extends = value;
    }
  }

  settings(): readonly Setting[] {
    return this.#entries
      .filter((entry) => entry.key !== 'extends')
      .map(({ key, node, raw, position }) => ({
        key,
        readings: this.#readings(node, raw),
        ...(variablesIn(JSON.stringify(raw) ?? '').length > 0 ? { raw } : {}),
        origin: { text: position, directory: this.#directory, layer: 0 },
      }));
  }

  /** A quoted `"${TURNS}"` may stand for a number as well: inside braces, YAML has no other way to write it. */
  #readings(node: Node | null, raw: unknown): readonly unknown[] {
    const value = node === null ? null : yamlValue(node, this.#document);
    return typeof value === 'string' && typeof raw === 'string' && variablesIn(raw).length > 0
      ? [value, plainScalar(value)]
      : [value];
  }

  #collect(map: Node, prefix: string): void {
    if (!isMap(map)) {
      return;
    }
    for (const pair of map.items) {
      const keyNode = isScalar(pair.key) ? pair.key : null;
      const key = `${prefix}${String(keyNode?.value)}`;
      const position = this.#place(keyNode?.range?.[0] ?? 0);
      const value = pair.value as Node | null;
      const node = isAlias(value) ? (value.resolve(this.#document) ?? null) : value;
      const place = key === 'extends' ? ({ kind: 'extra' } as const) : placeOfKey(key);
      if (place.kind === 'unknown' || place.kind === 'inside') {
        throw configError(
          `${position}: unknown key "${key}"${didYouMean(place.kind === 'unknown' ? place.nearest : null)}`,
        );
      }
      if (place.kind !== 'section') {
        this.#entries.push({
          key,
          node,
          raw: node === null ? null : yamlValue(node, this.#document),
          position,
        });
      } else if (isMap(node)) {
        this.#collect(node, `${key}.`);
      } else if (node !== null && !(isScalar(node) && node.value === null)) {
        throw configError(`${position}: expected \`${key}\` to be a mapping of options`);
      }
    }
  }

  /** Replaces `${NAME}` in every text, and remembers nothing: the raw text was read before. */
  #substitute({ env }: ConfigFileContext): void {
    visit(this.#document, {
      Scalar: (role, scalar) => {
        if (role === 'key' || typeof scalar.value !== 'string' || !scalar.value.includes('${')) {
          return;
        }
        const { text, missing } = substituteVariables(scalar.value, env);
        if (missing.length > 0) {
          const offset = scalar.range?.[0] ?? 0;
          throw configError(
            `${this.#place(offset)}: the environment variable ${missing[0]}, which ${this.#keyAt(offset)} refers to, is not set. Set it, or write \${${missing[0]}:-default}`,
          );
        }
        // An unquoted `${TURNS}` may be a number, just as it would be if its value stood there.
        scalar.value = scalar.type === 'PLAIN' ? plainScalar(text) : text;
      },
    });
  }

  #keyAt(offset: number): string {
    const entry = this.#entries.find(({ node }) => {
      const range = node?.range;
      return range != null && range[0] <= offset && offset < range[2];
    });
    return entry === undefined ? 'the file' : `\`${entry.key}\``;
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#shown}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  }
}

/** YAML takes the brace of an unquoted `${NAME}` inside `{ ... }` for its own. */
function hintOf(text: string, offset: number): string {
  return text.slice(Math.max(0, offset - 1), offset + 1) === '${'
    ? `. Inside braces, \${NAME} must stand in quotes`
    : '';
}

function plainScalar(text: string): unknown {
  const parsed = parseYamlData(text);
  return parsed.ok && (typeof parsed.value !== 'object' || parsed.value === null)
    ? parsed.value
    : text;
}

function configError(message: string, cause?: unknown): TalariaError {
  return new TalariaError({ code: 'config', message, ...(cause === undefined ? {} : { cause }) });
}

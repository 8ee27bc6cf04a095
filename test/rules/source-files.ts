import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders of the product's own source, in the direction of imports. */
export const sourceFolders = ['src', 'datasets', 'rewards', 'environments', 'runners', 'testing'];

export interface SourceFile {
  /** Path in the repository. */
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file of the given folders. */
export function sourceFiles(folders: readonly string[] = sourceFolders): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') })),
  );
}

/** Modules that a file imports, static and dynamic, by their specifiers. */
export function importsOf(file: SourceFile): string[] {
  const pattern = /(?:from|import)\s*\(?\s*'([^']+)'/g;
  return [...file.text.matchAll(pattern)].map((match) => match[1] ?? '');
}

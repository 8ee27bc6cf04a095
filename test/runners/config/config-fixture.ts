import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConfigCatalog } from '../../../runners/config/config-catalog.js';
import { type ConfigInput, resolveConfig } from '../../../runners/config/resolve-config.js';
import { usageError } from '../../../src/errors.js';

/** Names as a full build has them, so that the tests do not depend on which plug-ins there are. */
export const testCatalog: ConfigCatalog = {
  providers: ['openai', 'oracle', 'replay', 'nop'],
  environmentKinds: ['prompts', 'tasks', 'module'],
  rewards: ['tests', 'exact_match'],
  formats: async () => ['hermes', 'records'],
  toolsets: async () => ['terminal', 'file', 'todo'],
  async loadDistribution(nameOrPath) {
    if (nameOrPath === 'nowhere') {
      throw usageError('Unknown distribution "nowhere".');
    }
    return { name: nameOrPath, description: '', toolsets: [['terminal', 97]] };
  },
};

/** A folder with the given files, removed after the test. */
export async function folderWith(files: { readonly [path: string]: string }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Resolves `c.yaml` with this text (or no file, for null) in a folder of its own. */
export async function resolveText(
  text: string | null,
  input: Partial<ConfigInput> & { readonly files?: { readonly [path: string]: string } } = {},
) {
  const { files = {}, ...rest } = input;
  const cwd = await folderWith({ ...files, ...(text === null ? {} : { 'c.yaml': text }) });
  return resolveConfig({
    file: text === null ? null : 'c.yaml',
    sets: [],
    flags: [],
    env: {},
    cwd,
    catalog: testCatalog,
    cores: 8,
    ...rest,
  });
}

/** The smallest configuration. */
export const smallest =
  'environment: { kind: prompts, path: prompts.jsonl }\nmodel: { use: nop }\n';

/** A flag as the command line hands it over. */
export function flag(name: string, key: string, value: unknown) {
  return { flag: name, key, value };
}

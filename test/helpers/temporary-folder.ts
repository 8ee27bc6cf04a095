import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that lives as long as the test, with the given files; those that end in `.sh` are executable. */
export async function temporaryFolder(
  files: { readonly [path: string]: string | Uint8Array } = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await putFiles(folder, files);
  return folder;
}

export async function putFiles(
  folder: string,
  files: { readonly [path: string]: string | Uint8Array },
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    await chmod(join(folder, path), path.endsWith('.sh') ? 0o755 : 0o644);
  }
}

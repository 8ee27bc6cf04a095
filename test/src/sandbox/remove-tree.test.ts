import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removeTree } from '../../../src/sandbox/remove-tree.js';

describe('removing a tree', () => {
  it.each([3, 5_000])('removes %i files and what is closed, and follows no link', async (count) => {
    const folder = mkdtempSync(join(tmpdir(), 'remove-tree-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const kept = join(folder, 'kept');
    const tree = join(folder, 'tree');
    mkdirSync(kept);
    writeFileSync(join(kept, 'file'), '');
    mkdirSync(join(tree, 'closed', 'inner'), { recursive: true });
    symlinkSync(kept, join(tree, 'link'));
    symlinkSync('.', join(tree, 'loop'));
    for (let index = 0; index < count; index += 1) {
      writeFileSync(join(tree, `-rf ${index}\n`), '');
    }
    chmodSync(join(tree, 'closed', 'inner'), 0);
    chmodSync(join(tree, 'closed'), 0o500);
    expect(await removeTree(tree)).toBe(true);
    expect(existsSync(tree)).toBe(false);
    expect(existsSync(join(kept, 'file'))).toBe(true);
    expect(await removeTree(tree)).toBe(true);
  });
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/version.js';
import { importsOf, root, type SourceFile, sourceFiles } from './source-files.js';

/** What each folder may import beside itself. */
const mayImport: { readonly [folder: string]: readonly string[] } = {
  src: [],
  datasets: ['src'],
  rewards: ['src'],
  environments: ['src', 'datasets', 'rewards'],
  runners: ['src', 'datasets', 'rewards', 'environments'],
  testing: ['src', 'datasets', 'rewards', 'environments', 'runners'],
};

const folderOf = (path: string) => path.split('/')[0] ?? '';

function violations(matches: (file: SourceFile) => boolean): string[] {
  return sourceFiles()
    .filter(matches)
    .map((file) => file.path);
}

describe('the rules of the house', () => {
  it('no folder imports against the arrow', () => {
    const wrong = sourceFiles().flatMap((file) => {
      const from = folderOf(file.path);
      return importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => folderOf(normalize(join(dirname(file.path), specifier))))
        .filter((to) => to !== from && !mayImport[from]?.includes(to))
        .map((to) => `${file.path} imports from ${to}/`);
    });
    expect(wrong).toEqual([]);
  });

  it('only runners/cli reads arguments and environment, and only it ends the process', () => {
    const exceptions = [
      // Replace `process.exit`, to find out who calls it.
      'runners/batch/stray-guard.ts',
      'runners/batch/foreign-guard.ts',
      // PATH, LANG, TZ and TERM by an allow-list: where to find bwrap and sh, in whatever thread.
      'src/sandbox/host-environment.ts',
      // Programs of their own.
      'testing/fake-model-server/main.ts',
      'testing/run-inline.ts',
    ];
    const allowed = (path: string) => path.startsWith('runners/cli/') || exceptions.includes(path);
    const pattern = /process\.(argv|env|exit\b(?!Code))|process\['(argv|env|exit)'\]/;
    expect(violations((file) => !allowed(file.path) && pattern.test(file.text))).toEqual([]);
  });

  it('only runners/store opens run.db', () => {
    const opens = (file: SourceFile) => importsOf(file).includes('better-sqlite3');
    expect(violations((file) => opens(file) && !file.path.startsWith('runners/store/'))).toEqual(
      [],
    );
  });

  it('the generated loader indexes are current', () => {
    const check = () =>
      execFileSync(process.execPath, ['scripts/generate-indexes.mjs', '--check'], { cwd: root });
    expect(check).not.toThrow();
  });

  it('all suggestions have the wording of didYouMean', () => {
    // Problems of one call are joined by semicolons there, so that the sentence does not end with them.
    const allowed = ['src/text/nearest-name.ts', 'src/tools/describe-issues.ts'];
    const own = violations(({ text }) => /did you mean/i.test(text));
    expect(own.filter((path) => !allowed.includes(path))).toEqual([]);
  });

  it('no source file is longer than 500 lines', () => {
    expect(violations((file) => file.text.split('\n').length > 500)).toEqual([]);
  });

  it('no test mocks modules or keeps snapshots', () => {
    const banned = new RegExp(['vi', '(mock|doMock)\\('].join('\\.'));
    const tests = sourceFiles(['test']).filter(
      (file) => banned.test(file.text) || /toMatch(Inline)?Snapshot\(/.test(file.text),
    );
    expect(
      tests.map((file) => file.path).filter((path) => !path.startsWith('test/rules/')),
    ).toEqual([]);
  });

  it('the version of the build is that of the package', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ version });
  });

  it('the lock file names no registry', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/json.js';
import { searchFiles } from '../../../../src/tools/builtin/search-files.js';
import { callTool } from '../helpers/call-tool.js';
import { LocalSession } from '../helpers/local-session.js';
import { MemorySession } from '../helpers/memory-session.js';

const tools = ['sh', 'grep', 'find', 'sort', 'xargs', 'head', 'ls', 'touch'];

function which(program: string): string | null {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** A session whose PATH has just the programs given, by name. */
function sessionWith(programs: Readonly<Record<string, string>>): LocalSession {
  const bin = new LocalSession();
  mkdirSync(join(bin.home, 'bin'));
  for (const [name, path] of Object.entries(programs)) {
    symlinkSync(path, join(bin.home, 'bin', name));
  }
  return new LocalSession(join(bin.home, 'bin'));
}

const standard = () =>
  Object.fromEntries(tools.map((name) => [name, which(name)]).filter(([, path]) => path !== null));

/** `grep -P` fails here, as it does where grep was built without PCRE. */
function plainGrep(): LocalSession {
  const wrapper = new LocalSession();
  wrapper.put(
    'grep',
    `#!/bin/sh\ncase "$*" in *-qP*|*-P*) exit 2 ;; esac\nexec ${which('grep')} "$@"\n`,
  );
  chmodSync(join(wrapper.home, 'grep'), 0o755);
  return sessionWith({ ...standard(), grep: join(wrapper.home, 'grep') });
}

const ripgrep = which('rg');
const busybox = which('busybox');
for (const [name, path] of Object.entries({ ripgrep, busybox })) {
  if (path === null) {
    if (process.env['TALARIA_REQUIRE']?.split(',').includes(name)) {
      throw new Error(`TALARIA_REQUIRE names ${name}, which is not installed here`);
    }
    process.stderr.write(`skipped: searching with ${name}, which is not installed here\n`);
  }
}

const engines: readonly [string, boolean, () => LocalSession][] = [
  ['grep', true, () => sessionWith(standard())],
  ['grep without -P', true, plainGrep],
  ['ripgrep', ripgrep !== null, () => sessionWith({ ...standard(), rg: ripgrep ?? '' })],
  [
    'busybox',
    busybox !== null,
    () => sessionWith(Object.fromEntries(tools.map((name) => [name, busybox ?? '']))),
  ],
];

const search = async (sandbox: LocalSession, args: JsonObject) =>
  callTool(searchFiles, args, { sandbox });

describe.each(engines)('with %s', (_name, installed, open) => {
  describe.skipIf(!installed)('a search in files', () => {
    const project = () => {
      const sandbox = open();
      sandbox.put('src/b.ts', 'const beta = 2;\n// TODO later\n');
      sandbox.put('src/a.ts', 'const alpha = 1;\nlet x;\nlet y;\n// TODO now\n');
      sandbox.put("it's a dir/$(touch pwned).md", 'TODO in a strange place\n');
      sandbox.put('.hidden/c.txt', 'TODO hidden\n');
      sandbox.put('.git/HEAD', 'TODO never\n');
      sandbox.put('node_modules/m/index.js', 'TODO never\n');
      sandbox.put('binary.bin', 'TODO\0\x01\x02');
      return sandbox;
    };

    test('finds lines, sorted by path, wherever work is kept', async () => {
      const { value, ok } = await search(project(), { pattern: 'TODO' });
      expect(ok).toBe(true);
      expect(value).toEqual({
        total_count: 4,
        matches: [
          { path: '.hidden/c.txt', line: 1, content: 'TODO hidden' },
          { path: "it's a dir/$(touch pwned).md", line: 1, content: 'TODO in a strange place' },
          { path: 'src/a.ts', line: 4, content: '// TODO now' },
          { path: 'src/b.ts', line: 2, content: '// TODO later' },
        ],
        truncated: false,
      });
    });

    test('looks into an excluded folder when it is told to', async () => {
      const { value } = await search(project(), { pattern: 'TODO', path: 'node_modules' });
      expect(value['matches']).toEqual([
        { path: 'node_modules/m/index.js', line: 1, content: 'TODO never' },
      ]);
    });

    test('takes a file, an absolute path, a glob of files', async () => {
      const sandbox = project();
      const one = await search(sandbox, { pattern: 'const', path: 'src/a.ts' });
      expect(one.value['matches']).toEqual([
        { path: 'src/a.ts', line: 1, content: 'const alpha = 1;' },
      ]);
      const absolute = await search(sandbox, { pattern: 'beta', path: `${sandbox.home}/src` });
      expect(absolute.value).toMatchObject({ matches: [{ path: `${sandbox.home}/src/b.ts` }] });
      for (const [glob, expected] of [
        ['*.{ts,md}', 3],
        ['src/**/*.ts', 2],
        ['!*.ts', 2],
        ['*.rs', 0],
      ] as const) {
        const { value } = await search(sandbox, { pattern: 'TODO', file_glob: glob });
        expect(value['total_count'], glob).toBe(expected);
      }
    });

    test('understands the patterns that models write', async () => {
      const sandbox = open();
      sandbox.put('f', 'ab12\nx y\nfoo(bar)\n-v dash\nit\'s "quoted" $HOME\n');
      for (const [pattern, line] of [
        ['[a-z]+\\d{2}', 1],
        ['^\\w\\s\\w$', 2],
        ['(?:foo|baz)\\(bar\\)', 3],
        ['-v', 4],
        ['\'s "quoted" \\$HOME', 5],
      ] as const) {
        const { value } = await search(sandbox, { pattern });
        expect(value['matches'], pattern).toMatchObject([{ path: 'f', line }]);
      }
    });

    test('gives files or counts instead of lines', async () => {
      const sandbox = project();
      sandbox.put('src/a.ts', 'let a;\nlet b;\n');
      sandbox.put('src/b.ts', 'let c;\n');
      const files = await search(sandbox, { pattern: 'let', output_mode: 'files_only' });
      expect(files.value).toEqual({
        total_count: 2,
        files: ['src/a.ts', 'src/b.ts'],
        truncated: false,
      });
      const counts = await search(sandbox, { pattern: 'let', output_mode: 'count' });
      expect(counts.value).toEqual({
        total_count: 3,
        counts: { 'src/a.ts': 2, 'src/b.ts': 1 },
        truncated: false,
      });
    });

    test('shows lines around, marked as such', async () => {
      const { value } = await search(project(), { pattern: 'let y', context: 1 });
      expect(value['matches']).toEqual([
        { path: 'src/a.ts', line: 2, content: 'let x;', context: true },
        { path: 'src/a.ts', line: 3, content: 'let y;' },
        { path: 'src/a.ts', line: 4, content: '// TODO now', context: true },
      ]);
    });

    test('pages', async () => {
      const first = await search(project(), { pattern: 'TODO', limit: 3 });
      expect(first.value).toMatchObject({
        total_count: 4,
        truncated: true,
        hint: 'Go on with offset=3.',
      });
      const second = await search(project(), { pattern: 'TODO', limit: 3, offset: 3 });
      expect(second.value).toMatchObject({ matches: [{ path: 'src/b.ts' }], truncated: false });
    });

    test('finds nothing without failing, and fails where it must', async () => {
      const sandbox = project();
      expect((await search(sandbox, { pattern: 'absent' })).value).toEqual({
        total_count: 0,
        matches: [],
        truncated: false,
      });
      const missing = await search(sandbox, { pattern: 'x', path: 'no/such' });
      expect(missing).toMatchObject({
        ok: false,
        value: { error: 'No such file or directory: no/such' },
      });
      const broken = await search(sandbox, { pattern: '(unclosed' });
      expect(broken.ok).toBe(false);
      expect(broken.value['error']).toMatch(/^The search failed: /);
    });

    test('runs nothing that hides in its arguments', async () => {
      const sandbox = project();
      const attack = "'; touch pwned; $(touch pwned) `touch pwned` #";
      for (const args of [
        { pattern: attack },
        { pattern: 'x', path: attack },
        { pattern: 'x', file_glob: attack },
        { pattern: attack, target: 'files' },
        { pattern: '*', target: 'files', path: `-exec touch pwned ;` },
      ]) {
        await search(sandbox, args);
      }
      const { value } = await search(sandbox, { pattern: 'pwned', target: 'files' });
      expect(value).toMatchObject({ files: [] });
    });

    test('with far too many matches says so', async () => {
      const sandbox = open();
      sandbox.put('big', `${'match and some more text\n'.repeat(60_000)}`);
      const { value } = await search(sandbox, { pattern: 'match', limit: 2 });
      expect(value['matches']).toHaveLength(2);
      expect(value['truncated']).toBe(true);
      expect(value['hint']).toMatch(/total_count is a minimum/);
    });
  });

  describe.skipIf(!installed)('a search for files', () => {
    test('finds names by glob, sorted, links and hidden ones too', async () => {
      const sandbox = open();
      for (const name of [
        'b.py',
        'a b.py',
        'sub/c.py',
        'sub/d.txt',
        '.h.py',
        '.git/e.py',
        '-n.py',
      ]) {
        sandbox.put(name, '');
      }
      symlinkSync('b.py', join(sandbox.home, 'link.py'));
      const { value } = await search(sandbox, { pattern: '*.py', target: 'files' });
      expect(value).toEqual({
        total_count: 6,
        files: ['-n.py', '.h.py', 'a b.py', 'b.py', 'link.py', 'sub/c.py'],
        truncated: false,
      });
      const nested = await search(sandbox, { pattern: 'sub/**/*.{py,txt}', target: 'files' });
      expect(nested.value['files']).toEqual(['sub/c.py', 'sub/d.txt']);
    });

    test('tells how to look for a part of a name', async () => {
      const { value } = await search(open(), { pattern: 'conf', target: 'files' });
      expect(value).toMatchObject({ files: [], hint: expect.stringContaining('*conf*') });
    });
  });
});

test('a search that takes too long is a failure with a way out', async () => {
  const sandbox = new MemorySession({ timedOut: true, exitCode: 124 });
  const { ok, value } = await callTool(searchFiles, { pattern: 'x' }, { sandbox });
  expect(ok).toBe(false);
  expect(value['error']).toMatch(/longer than 60 s. Narrow/);
});

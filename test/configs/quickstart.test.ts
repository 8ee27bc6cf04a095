import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ids = readdirSync(`${root}/configs/quickstart`).sort();
const found = new Map<string, readonly string[]>();

describe('the quickstart tasks', () => {
  beforeAll(async () => {
    const script = `${root}/scripts/check-quickstart.mjs`;
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--json']).catch(
      (failed: { readonly stdout: string }) => failed,
    );
    for (const { id, problems } of JSON.parse(stdout) as { id: string; problems: string[] }[]) {
      found.set(id, problems);
    }
  });

  it.each(ids)('%s fails before its solution and on empty answers, and passes after it', (id) => {
    expect(found.get(id)).toEqual([]);
  });

  it('are at least fourteen, three of them of several turns', () => {
    const scripts = ids.map((id) =>
      readdirSync(`${root}/configs/quickstart/${id}/solution`).filter((name) =>
        name.endsWith('.sh'),
      ),
    );
    expect(ids.length).toBeGreaterThanOrEqual(14);
    expect(scripts.filter((names) => names.length > 1).length).toBeGreaterThanOrEqual(3);
  });

  it('are what the quickstart configuration runs, with the oracle', () => {
    const config = parse(readFileSync(`${root}/configs/quickstart.yaml`, 'utf8'));
    expect(config).toMatchObject({
      name: 'quickstart',
      environment: { kind: 'tasks', path: 'quickstart' },
      model: { use: 'oracle' },
      run: { samples: 2 },
      export: ['hermes'],
    });
  });
});

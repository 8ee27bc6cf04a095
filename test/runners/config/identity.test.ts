import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../runners/config/resolve-config.js';
import { folderWith, resolveText, smallest, testCatalog } from './config-fixture.js';

const changed = async (sets: readonly string[]) => {
  const [a, b] = await Promise.all([resolveText(smallest), resolveText(smallest, { sets })]);
  return Object.keys({ ...a.identity, ...b.identity }).filter(
    (key) => a.identity[key] !== b.identity[key],
  );
};

describe('the identity of a run', () => {
  it.each([
    ['model.use=oracle', ['model.use']],
    ['model.temperature=0.5', ['model.temperature']],
    ['reasoning.effort=high', ['reasoning.effort']],
    ['agent.system_prompt=hello', ['agent.system_prompt']],
    ['agent.deadline_s=60', ['agent.deadline_s', 'agent.max_wall_s']],
    ['toolsets.enabled=[file]', ['toolsets.enabled']],
    ['sandbox.image=debian', ['sandbox.image']],
    ['run.seed=1', ['run.seed']],
  ])('changes with %s', async (set, keys) => {
    expect(await changed([set])).toEqual(keys);
  });

  it.each([
    ['run.samples=4'],
    ['run.concurrency=2'],
    ['run.max_cost_usd=3'],
    ['model.base_url=http://127.0.0.1:1/v1'],
    ['model.max_retries=1'],
    ['environment.path=other.jsonl'],
    ['records.require_reasoning=discard'],
    ['rewards=[]'],
    ['export=[hermes]'],
    ['run.limit=3'],
  ])('does not change with %s', async (set) => {
    expect(await changed([set])).toEqual([]);
  });

  it('is the same whether a default is written out or not', async () => {
    expect(await changed(['agent.max_turns=30', 'agent.max_wall_s=2400'])).toEqual([]);
  });

  it('is canonical JSON: the order of keys does not count', async () => {
    const body = (text: string) =>
      resolveText(smallest.replace('use: nop', `use: nop, extra_body: ${text}`));
    const [a, b] = await Promise.all([body('{ a: 1, b: 2 }'), body('{ b: 2, a: 1 }')]);
    expect(a.identity['model.extra_body']).toBe('{"a":1,"b":2}');
    expect(a.identity).toEqual(b.identity);
  });

  it('knows a distribution by its content and not by its name', async () => {
    const a = await resolveText(smallest, { sets: ['toolsets.distribution=a'] });
    const b = await resolveText(smallest, { sets: ['toolsets.distribution=b'] });
    expect(a.identity['toolsets.distribution']).toBe('[["terminal",97]]');
    expect(a.identity).toEqual(b.identity);
  });
});

describe('run.yaml', () => {
  it('resolves to the same configuration again', async () => {
    const cwd = await folderWith({});
    const input = {
      sets: [],
      flags: [],
      env: { K: 'key', OPENAI_API_KEY: 'x' },
      cwd,
      catalog: testCatalog,
      cores: 8,
    };
    await writeFile(
      join(cwd, 'c.yaml'),
      `name: again
environment: { module: ./e.js, path: d, depth: { a: [1, 2] } }
model: { use: "openai:m", extra_body: { a: "$\${x}" }, price: { prompt: 1, completion: 2 }, api_key_env: K, stop: ["\\n\\n"] }
models: { judge: { use: nop, temperature: 0 } }
reasoning: { effort: low }
agent: { system_prompt: "multi\\nline: \\"$\${HOME}\\"", deadline_s: 0.5 }
toolsets: { distribution: ./d.yaml, sample_per: task }
sandbox: { env: { A: "1" }, memory_mb: 100 }
rewards: [ { use: ./r.js, weight: 2, deep: { x: 1 } }, tests ]
verify: same
export: [hermes]
`,
    );
    const first = await resolveConfig({ ...input, file: 'c.yaml' });
    await writeFile(join(cwd, 'run.yaml'), first.yaml);
    const second = await resolveConfig({ ...input, file: 'run.yaml' });
    expect(second).toEqual(first);
  });

  it('resolves to the same again from the smallest file', async () => {
    const cwd = await folderWith({ 'c.yaml': smallest });
    const input = { sets: [], flags: [], env: {}, cwd, catalog: testCatalog, cores: 8 };
    const first = await resolveConfig({ ...input, file: 'c.yaml' });
    await writeFile(join(cwd, 'run.yaml'), first.yaml);
    expect(await resolveConfig({ ...input, file: 'run.yaml' })).toEqual(first);
  });
});

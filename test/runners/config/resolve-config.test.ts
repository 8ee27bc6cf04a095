import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../runners/config/resolve-config.js';
import { flag, folderWith, resolveText, smallest, testCatalog } from './config-fixture.js';

describe('a configuration', () => {
  it('needs an environment and a model only, and has a default for everything else', async () => {
    const config = await resolveText(smallest);
    expect(config).toMatchObject({
      name: 'c',
      model: { use: 'nop', temperature: null, maxRetries: 10, retryBudgetMs: 600_000 },
      agent: {
        maxTurns: 30,
        deadlineMs: 1_800_000,
        maxWallMs: 2_400_000,
        systemPrompt: null,
        onBudget: 'stop',
        maxInvalidTurns: 3,
        toolTimeoutMs: 420_000,
        maxResultChars: 100_000,
      },
      toolsets: { distribution: null, enabled: ['terminal', 'file', 'todo'], samplePer: 'rollout' },
      sandbox: { kind: 'auto', network: 'none', trust: false, commandTimeoutMs: 180_000 },
      run: {
        samples: 1,
        concurrency: 64,
        threads: 4,
        seed: 0,
        maxCostUsd: null,
        maxAttempts: 3,
        failOnError: 0.1,
        graceMs: 30_000,
        openTimeoutMs: 120_000,
        canary: true,
        limit: null,
      },
      rewards: [{ use: 'tests', weight: 1, options: {} }],
      verify: null,
      rewardTimeoutMs: 600_000,
      records: { requireReasoning: 'off', recordTokens: false },
      export: [],
    });
    expect(config.model).toMatchObject({ timeoutMs: 600_000, connections: 16, apiKey: null });
    expect(config.out).toMatch(/\/runs\/c$/);
    expect(config.environment.path).toMatch(/\/prompts\.jsonl$/);
  });

  it('may have every key of the documented example', async () => {
    const config = await resolveText(
      `
name: my-run
environment: { kind: prompts, path: prompts.jsonl }
model: { use: "openai:my-model", base_url: "http://127.0.0.1:8000/v1", api_key_env: MY_KEY, temperature: 1.0, max_tokens: 4096, max_retries: 10, retry_budget_s: 600 }
models: { judge: { use: "openai:judge", base_url: "http://127.0.0.1:9/v1", reasoning_effort: high } }
reasoning: { effort: medium }
agent: { max_turns: 30, system_prompt: "...", deadline_s: 1800, max_total_tokens: 200000 }
toolsets: { distribution: terminal_tasks }
sandbox: { kind: docker, image: "debian:bookworm-slim", network: none, memory_mb: 2048, cpus: 1 }
run: { samples: 1, concurrency: 64, threads: 2, seed: 0, max_cost_usd: 20, max_attempts: 3, fail_on_error: 0.1 }
rewards: [ { use: tests, weight: 1 } ]
records: { require_reasoning: tag, record_tokens: false }
export: [ hermes ]
`,
      { env: { MY_KEY: 'k' } },
    );
    expect(config).toMatchObject({
      name: 'my-run',
      model: { apiKey: 'k', reasoningEffort: 'medium', maxTokens: 4096, connections: 32 },
      models: { judge: { use: 'openai:judge', reasoningEffort: 'high', apiKey: null } },
      toolsets: { distribution: { toolsets: [['terminal', 97]] }, enabled: null },
      records: { requireReasoning: 'tag' },
      export: ['hermes'],
    });
  });

  it('cannot be changed once it is resolved', async () => {
    const config = await resolveText(smallest);
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.run)).toBe(true);
    expect(Object.isFrozen(config.toolsets.enabled)).toBe(true);
  });

  it('takes a flag before --set, --set before a variable, a variable before the file, the file before its base', async () => {
    const files = { 'base.yaml': 'agent: { max_turns: 1 }\nrun: { seed: 5 }\n' };
    const text = `extends: base.yaml\n${smallest}agent: { max_turns: 2 }\n`;
    const env = { TALARIA_AGENT_MAX_TURNS: '3' };
    const sets = ['agent.max_turns=4'];
    const flags = [flag('--max-turns', 'agent.max_turns', '5')];
    const turns = async (input: object) =>
      (await resolveText(text, { files, ...input })).agent.maxTurns;
    expect(await turns({ env, sets, flags })).toBe(5);
    expect(await turns({ env, sets })).toBe(4);
    expect(await turns({ env })).toBe(3);
    expect(await turns({})).toBe(2);
    expect((await resolveText(text, { files })).run.seed).toBe(5);
    const onlyBase = `extends: base.yaml\n${smallest}`;
    expect((await resolveText(onlyBase, { files })).agent.maxTurns).toBe(1);
    expect((await resolveText(smallest)).agent.maxTurns).toBe(30);
  });

  it('reads a path relative to the file in which it stands', async () => {
    const cwd = await folderWith({
      'shared/base.yaml':
        'environment: { kind: prompts, path: data/p.jsonl }\nmodel: { use: nop }\n',
      'c/run.yaml': 'extends: ../shared/base.yaml\ntoolsets: { distribution: ./mine.yaml }\n',
    });
    const input = { file: 'c/run.yaml', sets: [], flags: [], env: {}, cwd, catalog: testCatalog };
    const config = await resolveConfig(input);
    expect(config.environment.path).toBe(join(cwd, 'shared/data/p.jsonl'));
    expect(config.toolsets.distribution?.name).toBe(join(cwd, 'c/mine.yaml'));
    const other = await resolveConfig({
      ...input,
      flags: [flag('--dataset', 'environment.path', 'here.jsonl')],
    });
    expect(other.environment.path).toBe(join(cwd, 'here.jsonl'));
  });

  it('means texts and numbers as a command line writes them', async () => {
    const config = await resolveText(smallest, {
      flags: [
        flag('--name', 'name', '1e3'),
        flag('--seed', 'run.seed', '7'),
        flag('--system-prompt', 'agent.system_prompt', 'say: "yes" # always'),
        flag('--export', 'export', 'hermes, records'),
        flag('--stop', 'model.stop', 'END'),
      ],
    });
    expect(config.name).toBe('1e3');
    expect(config.run.seed).toBe(7);
    expect(config.agent.systemPrompt).toBe('say: "yes" # always');
    expect(config.export).toEqual(['hermes', 'records']);
    expect(config.model.stop).toEqual(['END']);
  });

  it('sets one key inside a mapping and keeps the others', async () => {
    const text = `${smallest.replace('use: nop', 'use: nop, extra_body: { top_k: 20 }')}`;
    const config = await resolveText(text, { sets: ['model.extra_body.min_p=0.1'] });
    expect(config.model.extraBody).toEqual({ top_k: 20, min_p: 0.1 });
  });

  it('lets the higher layer choose between a distribution and toolsets, and refuses both in one place', async () => {
    const text = `${smallest}toolsets: { distribution: a }\n`;
    const config = await resolveText(text, { sets: ['toolsets.enabled=[file]'] });
    expect(config.toolsets).toMatchObject({ distribution: null, enabled: ['file'] });
    await expect(
      resolveText(`${smallest}toolsets: { distribution: a, enabled: [file] }\n`),
    ).rejects.toThrow(/either `toolsets.distribution` \(c\.yaml:3:13\) or `toolsets.enabled`/);
  });

  it('hands a module its own options, and its data set by an absolute path', async () => {
    const config = await resolveText(
      'environment: { module: ./env.js, path: d.jsonl, level: 3 }\nmodel: { use: nop }\n',
    );
    expect(config.environment.kind).toBe('module');
    expect(config.environment.path).toMatch(/\/env\.js$/);
    expect(config.environment.options['level']).toBe(3);
    expect(config.environment.options['path']).toMatch(/^\/.*\/d\.jsonl$/);
  });

  it('keeps the options of a reward, and its module by an absolute path', async () => {
    const config = await resolveText(
      `${smallest}rewards: [exact_match, { use: ./mine.js, weight: 2, strict: true }]\n`,
    );
    expect(config.rewards[0]).toEqual({ use: 'exact_match', weight: 1, options: {} });
    expect(config.rewards[1]).toMatchObject({ weight: 2, options: { strict: true } });
    expect(config.rewards[1]?.use).toMatch(/^\/.*\/mine\.js$/);
  });

  it('discards what has no reasoning without a file, as the original does, but tags it with one', async () => {
    const flags = [
      flag('--dataset-file', 'environment.path', 'p.jsonl'),
      flag('--model', 'model.use', 'openai:m'),
      flag('--base-url', 'model.base_url', 'http://127.0.0.1:1/v1'),
    ];
    expect((await resolveText(null, { flags })).records.requireReasoning).toBe('discard');
    expect((await resolveText('{}', { flags })).records.requireReasoning).toBe('tag');
    const nop = [...flags.slice(0, 1), flag('--model', 'model.use', 'nop')];
    expect((await resolveText(null, { flags: nop })).records.requireReasoning).toBe('off');
  });

  it('counts a price without one for cached tokens as the full price', async () => {
    const text = smallest.replace('use: nop', 'use: nop, price: { prompt: 2, completion: 8 }');
    expect((await resolveText(text)).model.price).toEqual({ prompt: 2, completion: 8, cached: 2 });
  });

  it.each([
    [1, 1],
    [2, 1],
    [4, 3],
    [64, 4],
  ])(
    'on %i cores there are %i threads, since the store needs a core too',
    async (cores, threads) => {
      expect((await resolveText(smallest, { cores })).run.threads).toBe(threads);
    },
  );

  it('never has more threads than rollouts at once', async () => {
    const config = await resolveText(`${smallest}run: { concurrency: 2 }\n`);
    expect(config.run.threads).toBe(2);
    expect(config.model.connections).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { talaria } from './cli-fixture.js';

const server = ['--base_url=http://127.0.0.1:1/v1'];
const original = [
  'run',
  '--dataset_file=data/p.jsonl',
  '--run_name=first',
  '--model=openai:m',
  ...server,
];

describe('the flags of the original batch runner', () => {
  it('run without a configuration file', async () => {
    const { batches, code } = await talaria([
      ...original,
      '--batch_size=10',
      '--max_turns=7',
      '--num_workers=3',
      '--max_samples=20',
      '--distribution=science',
      '--ephemeral_system_prompt=Be brief.',
      '--reasoning_effort=high',
    ]);
    expect(code).toBe(0);
    expect(batches[0]?.config).toMatchObject({
      name: 'first',
      environment: { kind: 'prompts', path: expect.stringMatching(/\/data\/p\.jsonl$/) },
      agent: { maxTurns: 7, systemPrompt: 'Be brief.' },
      run: { concurrency: 3, limit: 20 },
      toolsets: { distribution: { name: 'science' } },
      model: { reasoningEffort: 'high' },
      records: { requireReasoning: 'discard' },
    });
    expect(batches[0]?.config.out).toMatch(/\/runs\/first$/);
  });

  it('say which of them do nothing', async () => {
    const { stderr } = await talaria([...original, '--batch_size=10', '--verbose=True']);
    expect(stderr).toContain('--batch-size is ignored: rollouts are scheduled one by one');
    expect(stderr).toContain('--verbose is ignored');
  });

  it('may be written with dashes, and with the value as the next word', async () => {
    const { batches } = await talaria([
      'run',
      '--dataset-file',
      'p.jsonl',
      '--model',
      'openai:m',
      ...server,
      '--max-turns',
      '7',
    ]);
    expect(batches[0]?.config.agent.maxTurns).toBe(7);
    expect(batches[0]?.config.name).toBe('p');
  });

  it('take --reasoning_disabled before --reasoning_effort, in whatever order', async () => {
    const { batches } = await talaria([
      ...original,
      '--reasoning_disabled',
      '--reasoning_effort=high',
    ]);
    expect(batches[0]?.config.model.reasoningEffort).toBe('none');
    const off = await talaria([
      ...original,
      '--reasoning_disabled=False',
      '--reasoning_effort=high',
    ]);
    expect(off.batches[0]?.config.model.reasoningEffort).toBe('high');
  });

  it("name a model of OpenRouter without Talaria's provider", async () => {
    const argv = [
      'run',
      '--dataset_file=p.jsonl',
      '--run_name=r',
      '--model=anthropic/claude-sonnet-4.6',
    ];
    const { batches } = await talaria([...argv, '--base_url=https://openrouter.ai/api/v1'], {
      env: { OPENROUTER_API_KEY: 'k' },
    });
    expect(batches[0]?.config.model).toMatchObject({
      use: 'openai:anthropic/claude-sonnet-4.6',
      apiKey: 'k',
    });
    expect(batches[0]?.config.identity['model.use']).toBe('"openai:anthropic/claude-sonnet-4.6"');
  });

  it('send the choice of providers to OpenRouter', async () => {
    const { batches } = await talaria([
      ...original,
      '--providers_allowed=a, b',
      '--providers_ignored=c',
      '--provider_sort=price',
    ]);
    expect(batches[0]?.config.model.extraBody).toEqual({
      provider: { only: ['a', 'b'], ignore: ['c'], sort: 'price' },
    });
  });

  it('refuse what cannot be done, and say what to do', async () => {
    const prefill = await talaria([...original, '--prefill_messages_file=x.json']);
    expect(prefill).toMatchObject({ code: 2 });
    expect(prefill.stderr).toContain('Put what it says into --system-prompt.');
    expect((await talaria([...original, '--provider_sort=best'])).stderr).toContain('one of price');
  });

  it('need a data set and a model', async () => {
    expect((await talaria(['run', '--run_name=r'])).stderr).toContain('talaria: No environment:');
    expect((await talaria(['run', '--dataset_file=p.jsonl'])).stderr).toContain(
      'talaria: No model:',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { flag, resolveText } from './config-fixture.js';

const openai = (more: string) =>
  `environment: { path: p.jsonl }\nmodel: { use: "openai:m", ${more} }\n`;

describe('API keys', () => {
  it("are read from OPENAI_API_KEY for OpenAI's own server", async () => {
    const { model } = await resolveText(openai(''), { env: { OPENAI_API_KEY: 'k1' } });
    expect(model).toMatchObject({ apiKey: 'k1', apiKeyEnv: 'OPENAI_API_KEY' });
  });

  it('are demanded by name where they are needed', async () => {
    await expect(resolveText(openai(''))).rejects.toThrow(/variable OPENAI_API_KEY.* is not set/);
    await expect(
      resolveText(openai('api_key_env: MINE, base_url: "http://127.0.0.1:1/v1"')),
    ).rejects.toThrow(/variable MINE.* is not set\. It is named in c\.yaml:2:27\./);
    await expect(resolveText(openai('base_url: "https://openrouter.ai/api/v1"'))).rejects.toThrow(
      /OPENROUTER_API_KEY/,
    );
    await expect(resolveText(openai('api_key_env: MINE'), { env: { MINE: '' } })).rejects.toThrow();
  });

  it('are not needed by a server of your own, and never sent to it unasked', async () => {
    const { model } = await resolveText(openai('base_url: "http://127.0.0.1:8000/v1"'), {
      env: { OPENAI_API_KEY: 'k1' },
    });
    expect(model.apiKey).toBeNull();
  });

  it('stand neither in run.yaml nor in the identity', async () => {
    const config = await resolveText(
      `environment: { path: p.jsonl }
model:
  use: openai:m
  api_key_env: MINE
  base_url: http://me:hunter22@127.0.0.1:1/v1
  headers: { X-Plain: in-clear-7, X-Org: "\${ORG_TOKEN}" }
  extra_body: { user_key: "\${BODY_KEY}" }
sandbox: { env: { T: "\${SANDBOX_SECRET}", PLAIN: x } }
`,
      {
        env: {
          MINE: 'secret-1',
          ORG_TOKEN: 'secret-2',
          BODY_KEY: 'secret-3',
          SANDBOX_SECRET: 'secret-4',
        },
        flags: [flag('--seed', 'run.seed', '3')],
      },
    );
    expect(config.model).toMatchObject({ apiKey: 'secret-1', headers: { 'X-Org': 'secret-2' } });
    expect(config.sandbox.env).toEqual({ T: 'secret-4', PLAIN: 'x' });
    const written = config.yaml + JSON.stringify(config.identity);
    expect(written).not.toMatch(/secret-|hunter22|in-clear-7/);
    expect(config.yaml).toContain(`\${ORG_TOKEN}`);
    expect(config.yaml).toContain('api_key_env: MINE');
  });

  it('are hidden in the error about a header that cannot be read', async () => {
    await expect(
      resolveText(openai('headers: [sk-secret]'), { env: { OPENAI_API_KEY: 'k' } }),
    ).rejects.toThrow(/got "\(not shown\)"/);
  });
});

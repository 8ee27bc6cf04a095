import { describe, expect, it } from 'vitest';
import { resolveText, smallest } from './config-fixture.js';

describe('variables in a configuration file', () => {
  it('are replaced, and their default is taken where they are unset or empty', async () => {
    const text = `${smallest}agent: { system_prompt: "I am \${WHO}, \${MOOD:-calm}\${EMPTY:-.}" }\n`;
    const config = await resolveText(text, { env: { WHO: 'Ada', EMPTY: '' } });
    expect(config.agent.systemPrompt).toBe('I am Ada, calm.');
  });

  it('may be numbers and null, as if their value stood there', async () => {
    const text = `${smallest}agent: { max_turns: "\${TURNS}" }\nsandbox:\n  image: \${IMAGE:-null}\nrun:\n  seed: \${SEED:-7}\n`;
    const config = await resolveText(text, { env: { TURNS: '12' } });
    expect(config.agent.maxTurns).toBe(12);
    expect(config.sandbox.image).toBeNull();
    expect(config.run.seed).toBe(7);
  });

  it('stay text inside quotes', async () => {
    const text = `${smallest}agent: { system_prompt: "\${N}" }\n`;
    expect((await resolveText(text, { env: { N: '12' } })).agent.systemPrompt).toBe('12');
  });

  it('are named, with file, place and key, when they are not set', async () => {
    const text = `${smallest}agent:\n  system_prompt: \${NOBODY}\n`;
    await expect(resolveText(text)).rejects.toThrow(
      /^c\.yaml:4:18: .*NOBODY, which `agent\.system_prompt` refers to, is not set\. Set it, or write \$\{NOBODY:-default\}$/,
    );
  });

  it('are not meant by $${, nor by shell text that names none', async () => {
    const text = `${smallest}agent: { system_prompt: "$\${HOME} \${1} \${#x} $HOME" }\n`;
    const config = await resolveText(text, { env: { HOME: '/root' } });
    expect(config.agent.systemPrompt).toBe(`\${HOME} \${1} \${#x} $HOME`);
  });

  it('are told apart from braces of YAML: the message says to put quotes around them', async () => {
    const text = `${smallest}agent: { max_turns: \${TURNS} }\n`;
    await expect(resolveText(text)).rejects.toThrow(/c\.yaml:3:22: .*must stand in quotes/);
  });

  it('do not put keys or structure into the file', async () => {
    const text = `${smallest}agent:\n  system_prompt: \${EVIL}\n`;
    const config = await resolveText(text, { env: { EVIL: 'a: b' } });
    expect(config.agent.systemPrompt).toBe('a: b');
  });
});

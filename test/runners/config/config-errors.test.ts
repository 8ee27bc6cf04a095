import { describe, expect, it } from 'vitest';
import { TalariaError } from '../../../src/errors.js';
import { flag, resolveText, smallest } from './config-fixture.js';

/** The message and code with which a configuration is refused. */
async function refusal(text: string | null, input: Parameters<typeof resolveText>[1] = {}) {
  const thrown = await resolveText(text, input).then(
    () => null,
    (error: unknown) => error,
  );
  if (!TalariaError.isInstance(thrown)) {
    throw new Error(`expected a TalariaError, got ${String(thrown)}`, { cause: thrown });
  }
  return `${thrown.code}: ${thrown.message}`;
}

describe('a wrong configuration is refused with', () => {
  it.each([
    ['the place of bad YAML', 'agent:\n  max_turns: [1\n', /^config: c\.yaml:3:1: /],
    [
      'the place of a key that is there twice',
      'name: a\nname: b\n',
      /^config: c\.yaml:2:1: .*unique/,
    ],
    [
      'the nearest key and the place of an unknown one',
      `${smallest}agent: { max_turn: 3 }\n`,
      'config: c.yaml:3:10: unknown key "agent.max_turn"; did you mean "agent.max_turns"?',
    ],
    [
      'the section of a key that stands outside it',
      `${smallest}max_turns: 3\n`,
      'config: c.yaml:3:1: unknown key "max_turns"; did you mean "agent.max_turns"?',
    ],
    [
      'the nearest key of another role',
      `${smallest}models: { judge: { uze: nop } }\n`,
      /unknown key "models\.judge\.uze"; did you mean "models\.judge\.use"\?/,
    ],
    [
      'the nearest key of the environment',
      'environment: { kind: prompts, pth: x }\nmodel: { use: nop }\n',
      /c\.yaml:1:31: unknown key "environment\.pth"; did you mean "environment\.path"\?/,
    ],
    [
      'what was expected, found, and where',
      `${smallest}agent: { max_turns: 0 }\n`,
      'config: Expected `agent.max_turns` to be a whole number of at least 1, got 0 (number). It stands in c.yaml:3:10.',
    ],
    [
      'a delay that no timer can hold',
      `${smallest}agent: { deadline_s: 9999999 }\n`,
      /`agent\.deadline_s` to be seconds, more than 0 and at most 2147483, got 9999999/,
    ],
    [
      'a section that is no mapping',
      `${smallest}agent: 3\n`,
      /c\.yaml:3:1: expected `agent` to be a mapping/,
    ],
    ['a file that is no mapping', '- a\n', /c\.yaml:1:1: expected a mapping/],
    [
      'the missing model',
      'environment: { kind: prompts, path: x }\n',
      /^usage: No model: set model\.use/,
    ],
    ['the missing environment', 'model: { use: nop }\n', /^usage: No environment/],
    [
      'the nearest provider',
      'environment: { path: x }\nmodel: { use: "opnai:gpt" }\n',
      /provider of openai, oracle, replay, nop, got "opnai:gpt"; did you mean "openai:gpt"\? It stands in c\.yaml:2:10/,
    ],
    [
      'the provider that is missing before a name',
      'environment: { path: x }\nmodel: { use: my-model }\n',
      /did you mean "openai:my-model"\?/,
    ],
    [
      'the nearest environment kind',
      'environment: { kind: promts }\nmodel: { use: nop }\n',
      /did you mean "prompts"\?/,
    ],
    [
      'the nearest reward',
      `${smallest}rewards: [test]\n`,
      /Unknown reward "test" in c\.yaml:3:1; did you mean "tests"\?/,
    ],
    [
      'the nearest format',
      `${smallest}export: [hermez]\n`,
      /Unknown export format "hermez".*"hermes"/,
    ],
    [
      'the nearest toolset',
      `${smallest}toolsets: { enabled: [terminl] }\n`,
      /Unknown toolset "terminl".*"terminal"/,
    ],
    [
      'a name that is no file name',
      `${smallest}name: a/b\n`,
      /Expected `name` to be letters, digits/,
    ],
    [
      'an address that is none',
      smallest.replace('nop', 'nop, base_url: localhost'),
      /to be an http or https address/,
    ],
    [
      'a key written out as the name of its variable',
      smallest.replace('nop', 'nop, api_key_env: sk-1-2'),
      /never the key itself\), or null, got "\(not shown\)"/,
    ],
    [
      'a number that is none',
      `${smallest}run: { max_cost_usd: .nan }\n`,
      'config: c.yaml:3:22: .nan is no finite number; put it in quotes if it is text',
    ],
    [
      'a number that no number can hold',
      'environment: { module: ./e.js, level: 1e999 }\nmodel: { use: nop }\n',
      'config: c.yaml:1:39: 1e999 is no finite number; put it in quotes if it is text',
    ],
    [
      'an alias of what it stands in',
      'environment: { module: ./e.js, deep: &deep { deeper: [*deep] } }\nmodel: { use: nop }\n',
      'config: c.yaml:1:55: the alias *deep refers to itself',
    ],
    [
      'a section that is part of itself',
      `${smallest}agent: &agent { max_turns: *agent }\n`,
      'config: c.yaml:3:28: the alias *agent refers to itself',
    ],
    [
      'a key that would become a prototype',
      'environment: { module: ./e.js, own: { __proto__: { x: 1 } } }\nmodel: { use: nop }\n',
      'config: c.yaml:1:39: a key must not be `__proto__`',
    ],
    [
      'values that nest without end',
      `environment:\n  module: ./e.js\n  deep: ${'['.repeat(5000)}${']'.repeat(5000)}\nmodel: { use: nop }\n`,
      /^config: c\.yaml:3:\d+: values are nested more than 64 levels deep$/,
    ],
    [
      'a key that is no word',
      'environment: { module: ./e.js, own: { ? [a] : 1 } }\nmodel: { use: nop }\n',
      /^config: c\.yaml:1:\d+: a key must be a plain word$/,
    ],
    [
      'a number that is not the one that was written',
      `${smallest}run: { seed: 99999999999999999999 }\n`,
      /got 100000000000000000000, which is too big to be exact\./,
    ],
    [
      'a text where a list is expected, with an example',
      `${smallest}export: hermes\n`,
      /`export` to be a list of texts, such as \[a, b\], got "hermes"/,
    ],
  ])('%s', async (_what, text, message) => {
    const found = await refusal(text);
    if (typeof message === 'string') {
      expect(found).toBe(message);
    } else {
      expect(found).toMatch(message);
    }
  });

  it('the flag, the variable or the --set that is wrong', async () => {
    const flags = [flag('--max_turns', 'agent.max_turns', 'many')];
    expect(await refusal(smallest, { flags })).toMatch(
      /got "many" \(string\)\. It stands in --max_turns\./,
    );
    expect(await refusal(smallest, { env: { TALARIA_RUN_SEED: '-1' } })).toMatch(
      /TALARIA_RUN_SEED/,
    );
    expect(await refusal(smallest, { sets: ['run.seed=x'] })).toMatch(/--set run\.seed/);
    expect(await refusal(smallest, { sets: ['run.sed=1'] })).toMatch(/did you mean "run\.seed"/);
    expect(await refusal(smallest, { sets: ['run=1'] })).toMatch(/"run" is a section/);
    expect(await refusal(smallest, { sets: ['novalue'] })).toMatch(/Expected --set key=value/);
  });

  it('the base file that is missing, and the file that extends it', async () => {
    expect(await refusal(`extends: nope.yaml\n${smallest}`)).toMatch(
      /^config: Cannot read the configuration file nope\.yaml, which c\.yaml extends/,
    );
  });

  it('the circle in which files extend each other', async () => {
    const files = { 'a.yaml': 'extends: b.yaml\n', 'b.yaml': 'extends: c.yaml\n' };
    expect(await refusal(`extends: a.yaml\n${smallest}`, { files })).toMatch(
      /in a circle: c\.yaml -> a\.yaml -> b\.yaml -> c\.yaml/,
    );
  });

  it('an alias that would grow without end', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 9; level++) {
      const before = `*${String.fromCharCode(96 + level)}`;
      bomb.push(
        `${String.fromCharCode(97 + level)}: &${String.fromCharCode(97 + level)} [${Array(10).fill(before).join(',')}]`,
      );
    }
    const text = `environment:\n  module: ./e.js\n${bomb.map((line) => `  ${line}\n`).join('')}model: { use: nop }\n`;
    expect(await refusal(text)).toMatch(
      /^config: c\.yaml:\d+:\d+: the aliases come to more than 100000 values$/,
    );
  });
});

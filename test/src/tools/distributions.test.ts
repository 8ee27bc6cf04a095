import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDistribution, loadDistributions } from '../../../src/tools/load-distributions.js';
import { parseDistribution } from '../../../src/tools/parse-distribution.js';

/** Name, toolsets and percentages of the original, in its order. */
const original: Record<string, string> = {
  default: 'web 100 vision 100 image_gen 100 terminal 100 file 100 moa 100 browser 100',
  image_gen: 'image_gen 90 vision 90 web 55 terminal 45 moa 10',
  research: 'web 90 browser 70 vision 50 moa 40 terminal 10',
  science: 'web 94 terminal 94 file 94 vision 65 browser 50 image_gen 15 moa 10',
  development: 'terminal 80 file 80 moa 60 web 30 vision 10',
  safe: 'web 80 browser 70 vision 60 image_gen 60 moa 50',
  balanced: 'web 50 vision 50 image_gen 50 terminal 50 file 50 moa 50 browser 50',
  minimal: 'web 100',
  terminal_only: 'terminal 100 file 100',
  terminal_web: 'terminal 100 file 100 web 100',
  creative: 'image_gen 90 vision 90 web 30',
  reasoning: 'moa 90 web 30 terminal 20',
  browser_use: 'browser 100 web 80 vision 70',
  browser_only: 'browser 100',
  browser_tasks: 'browser 97 vision 12 terminal 15',
  terminal_tasks: 'terminal 97 file 97 web 97 browser 75 vision 50 image_gen 10',
  mixed_tasks: 'browser 92 terminal 92 file 92 web 35 vision 15 image_gen 15',
};

/** Expected toolsets per rollout, and percent of draws that come out empty, as computed from the original's table. */
const statistics: Record<string, readonly [expected: number, emptyPercent: number]> = {
  default: [7, 0],
  image_gen: [2.9, 0.223],
  research: [2.6, 0.81],
  science: [4.22, 0.003],
  development: [2.6, 1.008],
  safe: [3.2, 0.48],
  balanced: [3.5, 0.781],
  minimal: [1, 0],
  terminal_only: [2, 0],
  terminal_web: [3, 0],
  creative: [2.1, 0.7],
  reasoning: [1.4, 5.6],
  browser_use: [2.5, 0],
  browser_only: [1, 0],
  browser_tasks: [1.24, 2.244],
  terminal_tasks: [4.26, 0.0003],
  mixed_tasks: [3.41, 0.024],
};

describe('the built-in distributions', () => {
  test('are those of the original, with its probabilities in its order', async () => {
    const loaded = await loadDistributions();
    const tables = loaded.map(({ name, toolsets }) => [name, toolsets.flat().join(' ')]);
    expect(Object.fromEntries(tables)).toEqual(original);
    expect(loaded.every(({ description }) => description.length > 10)).toBe(true);
  });

  test.each(Object.entries(statistics))(
    '%s has the known statistics',
    async (name, [mean, empty]) => {
      const { toolsets } = await loadDistribution(name);
      const percents = toolsets.map(([, percent]) => percent);
      expect(percents.reduce((sum, percent) => sum + percent, 0) / 100).toBeCloseTo(mean, 5);
      const none = percents.reduce((product, percent) => product * (1 - percent / 100), 100);
      expect(none).toBeCloseTo(empty, empty < 0.001 ? 4 : 3);
    },
  );

  test('an unknown name is a usage error with the nearest name and all names', async () => {
    await expect(loadDistribution('terminal_task')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/did you mean "terminal_tasks"\?.*balanced.*terminal_web/s),
    });
  });
});

describe("a user's own file", () => {
  const file = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'talaria-distribution-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'mine.yaml');
    writeFileSync(path, text);
    return path;
  };

  test('is loaded by its path', async () => {
    const path = file('name: mine\ntoolsets: { file: 12.5, "7": 100, terminal: 0 }\n');
    expect(await loadDistribution(path)).toEqual({
      name: 'mine',
      description: '',
      toolsets: [
        ['file', 12.5],
        ['7', 100],
        ['terminal', 0],
      ],
    });
  });

  test('that does not exist is named', async () => {
    await expect(loadDistribution('./no/such.yaml')).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('./no/such.yaml'),
    });
  });

  test.each([
    ['toolset: { a: 1 }', /unknown key "toolset"; did you mean "toolsets"\?/],
    ['name: x', /"toolsets" must be a table/],
    ['name: x\ntoolsets: {}', /"toolsets" must be a table/],
    ['name: x\ntoolsets: [a]', /"toolsets" must be a table/],
    ['toolsets: { a: 1 }', /"name" must be a text/],
    ['name: 5\ntoolsets: { a: 1 }', /"name" must be a text, got `5`/],
    ['name: x\ndescription: [a]\ntoolsets: { a: 1 }', /"description" must be a text/],
    ['name: x\ntoolsets: { a: 101 }', /"toolsets.a" must be a percentage from 0 to 100, got `101`/],
    ['name: x\ntoolsets: { a: -1 }', /"toolsets.a" must be a percentage/],
    [
      'name: x\ntoolsets: { a: "50" }',
      /"toolsets.a" must be a percentage from 0 to 100, got `"50"`/,
    ],
    ['name: x\ntoolsets: { a: .nan }', /"toolsets.a" must be a percentage/],
    ['name: x\ntoolsets: { a: 0, b: 0 }', /every toolset has 0 percent/],
    ['name: x\ntoolsets: { a: 1, a: 2 }', /not valid YAML.*unique/s],
    ['- a', /must be a table with the keys name, description, toolsets/],
    ['', /must be a table/],
    ['a: [', /not valid YAML/],
  ])('%j is refused with what is wrong', (text, message) => {
    const parse = () => parseDistribution(text, 'mine.yaml');
    expect(parse).toThrowError(message);
    expect(parse).toThrowError(/^mine\.yaml: /);
    expect(parse).toThrowError(expect.objectContaining({ code: 'config' }));
  });
});

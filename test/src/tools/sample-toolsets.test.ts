import { describe, expect, test } from 'vitest';
import { deriveSeed, seededRandom } from '../../../src/random.js';
import { checkDistribution } from '../../../src/tools/check-distribution.js';
import type { Distribution } from '../../../src/tools/distribution.js';
import { sampleToolsets } from '../../../src/tools/sample-toolsets.js';

const distribution: Distribution = {
  name: 'mixed',
  description: '',
  toolsets: [
    ['browser', 92],
    ['terminal', 92],
    ['file', 50],
    ['web', 35],
    ['vision', 15],
  ],
};
const all = new Set(['browser', 'terminal', 'file', 'web', 'vision']);

const draw = (seed: number, known: ReadonlySet<string> = all, table = distribution) =>
  sampleToolsets({ distribution: table, known, random: seededRandom(seed) });

describe('a draw', () => {
  test('takes each toolset as often as the table says', () => {
    const draws = 20_000;
    const counts = new Map<string, number>();
    for (let seed = 0; seed < draws; seed += 1) {
      for (const toolset of draw(deriveSeed(1, seed)).toolsets) {
        counts.set(toolset, (counts.get(toolset) ?? 0) + 1);
      }
    }
    for (const [toolset, percent] of distribution.toolsets) {
      expect(((counts.get(toolset) ?? 0) / draws) * 100).toBeCloseTo(percent, -0.5);
    }
  });

  test('flips for each toolset on its own', () => {
    const draws = 20_000;
    let both = 0;
    for (let seed = 0; seed < draws; seed += 1) {
      const { toolsets } = draw(deriveSeed(2, seed));
      both += toolsets.includes('file') && toolsets.includes('web') ? 1 : 0;
    }
    expect(both / draws).toBeCloseTo(0.5 * 0.35, 1);
  });

  test('is the same for the same seed, whatever was drawn before', () => {
    const seeds = [5, 6, 7, 8, 9];
    const forwards = seeds.map((seed) => draw(seed));
    const backwards = seeds.toReversed().map((seed) => draw(seed));
    expect(backwards.toReversed()).toEqual(forwards);
    expect(new Set(forwards.map((one) => one.toolsets.join())).size).toBeGreaterThan(1);
  });

  test('of the other toolsets does not change when a missing toolset is added to the build', () => {
    const without = new Set(['terminal', 'file', 'web', 'vision']);
    for (let seed = 0; seed < 500; seed += 1) {
      const before = draw(seed, without);
      const after = draw(seed);
      if (before.skipped.length > 0 && after.toolsets.length > 1) {
        expect(before.skipped).toEqual(['browser']);
        expect(['browser', ...before.toolsets]).toEqual(after.toolsets);
      }
    }
  });

  test('keeps the order of the table and reports what it drew but does not have', () => {
    const table = {
      ...distribution,
      toolsets: [
        ['web', 100],
        ['moa', 100],
        ['file', 100],
        ['x', 0],
      ],
    };
    expect(draw(1, new Set(['file', 'web', 'x']), table as unknown as Distribution)).toEqual({
      toolsets: ['web', 'file'],
      skipped: ['moa'],
    });
  });
});

describe('a draw that comes out empty', () => {
  const never = (percents: Record<string, number>): Distribution => ({
    name: 'rare',
    description: '',
    toolsets: Object.entries(percents),
  });
  const unlucky = () => 0.999_999;

  test.each<[Record<string, number>, string[], string]>([
    [{ moa: 90, web: 30, terminal: 20 }, ['web', 'terminal'], 'web'],
    [{ moa: 90, web: 30, terminal: 20 }, ['terminal'], 'terminal'],
    [{ a: 50, b: 50, c: 50 }, ['c', 'b'], 'b'],
    [{ a: 10, b: 80 }, ['a', 'b'], 'b'],
  ])('of %j with %j in the build falls back to %s', (percents, known, expected) => {
    const result = sampleToolsets({
      distribution: never(percents),
      known: new Set(known),
      random: unlucky,
    });
    expect(result).toEqual({ toolsets: [expected], skipped: [] });
  });
});

describe('at the start of a run', () => {
  test('a distribution of which nothing exists is a usage error that names both sides', () => {
    const check = () => checkDistribution(distribution, new Set(['todo']));
    expect(check).toThrowError(/"mixed".*browser, terminal, file.*Toolsets here: todo/);
    expect(check).toThrowError(expect.objectContaining({ code: 'usage' }));
    expect(() => draw(1, new Set(['todo']))).toThrowError(/"mixed"/);
  });

  test('a toolset of 0 percent cannot carry a distribution', () => {
    const table: Distribution = {
      ...distribution,
      toolsets: [
        ['web', 0],
        ['moa', 50],
      ],
    };
    expect(() => checkDistribution(table, new Set(['web']))).toThrowError(/No toolset/);
  });

  test('what is missing is listed for a warning', () => {
    expect(checkDistribution(distribution, new Set(['terminal', 'file']))).toEqual([
      'browser',
      'web',
      'vision',
    ]);
  });
});

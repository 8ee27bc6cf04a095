import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRewards } from '../../rewards/load-rewards.js';
import type { RewardContext, ScoredRollout } from '../../rewards/reward-function.js';
import { temporaryFolder } from '../helpers/temporary-folder.js';

const entry = (use: string, weight = 1) => ({ use, weight, options: {} });

async function loadSource(source: string) {
  const folder = await temporaryFolder({ 'my-reward.mjs': source });
  const [loaded] = await loadRewards([entry(join(folder, 'my-reward.mjs'))]);
  return loaded?.reward;
}

describe('rewards', () => {
  it('are built in, and two of one name are told apart', async () => {
    const loaded = await loadRewards([entry('tests'), entry('tests', 0)]);
    expect(loaded.map(({ reward }) => reward.name)).toEqual(['tests', 'tests_2']);
    expect(loaded.map(({ reward }) => reward.needsSandbox)).toEqual([true, true]);
  });

  it("may be a user's object, whose methods keep it as this", async () => {
    const reward = await loadSource(`
      class Mine { name = 'mine'; #bonus = 2; async score() { return { value: this.#bonus }; } }
      export const reward = new Mine();`);
    expect(reward).toMatchObject({ name: 'mine', needsSandbox: false });
    expect(await reward?.score({} as ScoredRollout, {} as RewardContext)).toEqual({ value: 2 });
  });

  it("may be a user's function, named after its file", async () => {
    const reward = await loadSource('export const reward = ({ sample }) => sample + 1;');
    expect(reward?.name).toBe('my-reward');
    const score = await reward?.score({ sample: 1 } as ScoredRollout, {} as RewardContext);
    expect(score).toBe(2);
  });

  it.each([
    ['export const score = 1;', /must export `reward`/],
    ['export const reward = {};', /must export `reward`/],
    ['export const reward = { score: 1 };', /`reward\.score` of .* is no function/],
    ['throw new Error("no key");', /cannot be loaded: no key/],
  ])('of %s are refused', async (source, message) => {
    await expect(loadSource(source)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  });

  it('that do not exist are an error with the nearest name', async () => {
    await expect(loadRewards([entry('test')])).rejects.toThrow(/did you mean "tests"\?/);
    await expect(loadRewards([entry('constructor')])).rejects.toThrow(/no reward named/);
    await expect(loadRewards([entry('./no-such-file.js')])).rejects.toThrow(
      /no-such-file\.js does not exist/,
    );
  });

  it.each([Number.NaN, -1, 1e101, 1.7e308, 5e-324])(
    'with the weight %s are refused',
    async (weight) => {
      await expect(loadRewards([entry('tests', weight)])).rejects.toThrow(/weight/);
    },
  );
});

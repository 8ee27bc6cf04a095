import { expect, it } from 'vitest';
import { killRun } from '../helpers/kill-run.js';

it('a batch killed five times and resumed loses nothing, repeats nothing and pays for nothing twice', async () => {
  const report = await killRun({ prompts: 120, kills: 5, seed: 1, sandbox: 'local' });
  expect(report.faults).toEqual([]);
  expect(report.kills).toBe(5);
}, 120_000);

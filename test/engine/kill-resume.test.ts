import { expect, it } from 'vitest';
import { killRun } from '../helpers/kill-run.js';

/** `TALARIA_KILLS=200 npm run test:engine -- kill` is the long form. */
const kills = Number(process.env['TALARIA_KILLS'] ?? 20);

it(`${kills} random kills over runs of 300 prompts in bubblewrap lose nothing and repeat no stored call`, async () => {
  const report = await killRun({ prompts: 300, kills, seed: 20, sandbox: 'bubblewrap' });
  process.stderr.write(`${JSON.stringify({ ...report, faults: report.faults.length })}\n`);
  expect(report.faults).toEqual([]);
  expect(report.kills).toBe(kills);
}, 3_000_000);

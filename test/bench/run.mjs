// Runs every benchmark, one after another, each in a process of its own: one line of JSON for each measure.
// `npm run bench -- throughput help` runs the named ones only.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benchmarks = [
  ['help'],
  ['sandbox'],
  ['model-call'],
  ['cpu', '2048', '8000'],
  ['cpu', '2048', '400', '1', '40', '4900'],
  ['cpu', '200000', '1200'],
  ['memory'],
  ['throughput', '64', '200', '2560'],
  ['throughput', '1000', '2000', '5000'],
  ['throughput', '4000', '2000', '8000'],
  ['sandboxed', 'bubblewrap', '256', '5000', '1000', '3'],
  ['store'],
  ['resume'],
];

const chosen = process.argv.slice(2);
let failed = 0;
for (const [name, ...args] of benchmarks) {
  if (chosen.length > 0 && !chosen.includes(name)) {
    continue;
  }
  const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  const run = spawnSync(process.execPath, [script, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (run.status !== 0) {
    process.stderr.write(`${name} ended with ${run.status ?? run.signal}\n`);
    failed = 1;
  }
}
process.exit(failed);

// How long `talaria --help` takes, divided by `node -e 0`: medians of interleaved pairs, so that both see the same noise.
// Prints one JSON line. Needs `npm run build`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/runners/cli/main.js', import.meta.url));
const pairs = Number(process.argv[2] ?? 21);

function milliseconds(args) {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) {
    throw new Error(`node ${args.join(' ')} ended with ${status}`);
  }
  return performance.now() - start;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const bare = [];
const help = [];
const runHelp = [];
for (let pair = 0; pair < pairs; pair++) {
  bare.push(milliseconds(['-e', '0']));
  help.push(milliseconds([main, '--help']));
  runHelp.push(milliseconds([main, 'run', '--help']));
}
const round = (value) => Number(value.toFixed(2));
process.stdout.write(
  `${JSON.stringify({
    bench: 'help',
    node_ms: round(median(bare)),
    help_ms: round(median(help)),
    ratio: round(median(help) / median(bare)),
    run_help_ratio: round(median(runHelp) / median(bare)),
    must: 2.5,
  })}\n`,
);

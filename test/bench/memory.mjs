// Memory of one more concurrent rollout: the difference of the peaks of two runs of the same data set and different concurrency,
// divided by the difference of the concurrencies; compared with 2.5 x the transcript's bytes + 200 KB.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  report,
  runBatchHere,
  startServer,
  temporaryFolder,
  todoLoop,
  writePrompts,
} from './lib.mjs';

const rollouts = 1000;
const [mode, ...numbers] = process.argv.slice(2);
if (mode === 'child') {
  await child(...numbers.map(Number));
} else {
  for (const bytes of [2048, 100_000]) {
    compare(bytes);
  }
}

function compare(bytes) {
  const [few, many] = [100, rollouts];
  const peak = (concurrency) => {
    const run = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), 'child', String(concurrency), String(bytes)],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    );
    return JSON.parse(run.stdout);
  };
  const [small, large] = [peak(few), peak(many)];
  const perRollout = (large.rss - small.rss) / (many - few);
  const allowed = 2.5 * large.transcript_bytes + 200_000;
  report({
    measure: 'memory_per_rollout',
    transcript_bytes: large.transcript_bytes,
    bytes_per_rollout: Math.round(perRollout),
    allowed_bytes: Math.round(allowed),
    ratio: Math.round((perRollout / allowed) * 1000) / 1000,
    must: 1,
  });
}

/** Runs the data set and prints the highest memory. */
async function child(concurrency, bytes) {
  const turns = 3;
  const folder = temporaryFolder();
  writePrompts(folder, rollouts, bytes);
  const server = await startServer({ fast: true, 'latency-ms': 1000, ...todoLoop(turns) });
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  await runBatchHere({
    folder,
    baseUrl: server.baseUrl,
    sets: [`run.concurrency=${concurrency}`, 'run.threads=2'],
  });
  clearInterval(timer);
  const { request_bytes: sent, requests } = await server.stats();
  server.stop();
  process.stdout.write(
    JSON.stringify({ rss: peak, transcript_bytes: Math.round(sent / requests) }),
  );
}

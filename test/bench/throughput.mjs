// Rollouts a second against a model of fixed latency, divided by the ideal (concurrency / (turns x latency)), from the first
// request to the last reply. The server runs in its own process. Usage:
// throughput.mjs [concurrency latency_ms rollouts threads]; without the last, as many threads as a run has by default.
import {
  report,
  runBatchHere,
  startServer,
  temporaryFolder,
  todoLoop,
  writePrompts,
} from './lib.mjs';

const turns = 5;
const [concurrency = 64, latencyMs = 200, rollouts = 2560, threads] = process.argv
  .slice(2)
  .map(Number);
const limits =
  concurrency >= 4000
    ? { aim: 0.85 }
    : concurrency >= 1000
      ? { must: 0.9, aim: 0.98 }
      : { must: 0.95 };

const folder = temporaryFolder();
writePrompts(folder, rollouts, 2048);
const server = await startServer({ fast: true, 'latency-ms': latencyMs, ...todoLoop(turns) });
const result = await runBatchHere({
  folder,
  baseUrl: server.baseUrl,
  sets: [
    `run.concurrency=${concurrency}`,
    ...(threads === undefined ? [] : [`run.threads=${threads}`]),
  ],
});
const stats = await server.stats();
server.stop();
const seconds = (stats.last_answer_ms - stats.first_request_ms) / 1000;
const ideal = (rollouts * turns * latencyMs) / 1000 / concurrency;
report({
  measure: 'throughput',
  concurrency,
  latency_ms: latencyMs,
  rollouts,
  completed: result.counts.byStatus.completed,
  seconds: round(seconds),
  ideal_seconds: ideal,
  ratio: round(ideal / seconds),
  ...limits,
});

function round(value) {
  return Math.round(value * 1000) / 1000;
}

// Rollouts that run real commands in a sandbox of their own: rollouts a second, divided by the ideal (concurrency / (turns x
// latency)), from the first request to the last reply. Usage:
// sandboxed.mjs [kind concurrency latency_ms rollouts commands image]
import { report, runBatchHere, startServer, temporaryFolder, writePrompts } from './lib.mjs';

const [
  kind = 'bubblewrap',
  concurrency = '256',
  latency = '5000',
  count = '1000',
  commands = '3',
  image,
] = process.argv.slice(2);
const [atOnce, latencyMs, rollouts, turns] = [concurrency, latency, count, commands].map(Number);

const folder = temporaryFolder();
writePrompts(folder, rollouts, 2048);
const server = await startServer({
  fast: true,
  'latency-ms': latencyMs,
  turns,
  tool: 'terminal',
  arguments: JSON.stringify({
    command: 'printf "%s\\n" c b a >list && sort list | head -2 && ls -l | wc -l',
  }),
});
const result = await runBatchHere({
  folder,
  baseUrl: server.baseUrl,
  sets: [
    `run.concurrency=${atOnce}`,
    'toolsets.enabled=[terminal]',
    `sandbox.kind=${kind}`,
    'agent.max_repeated_calls=10',
    ...(image === undefined ? [] : [`sandbox.image=${image}`]),
  ],
});
const stats = await server.stats();
server.stop();
const seconds = (stats.last_answer_ms - stats.first_request_ms) / 1000;
const ideal = (rollouts * (turns + 1) * latencyMs) / 1000 / atOnce;
report({
  measure: 'sandboxed_throughput',
  kind,
  concurrency: atOnce,
  latency_ms: latencyMs,
  rollouts,
  commands: turns,
  completed: result.counts.byStatus.completed,
  seconds: Number(seconds.toFixed(3)),
  ideal_seconds: ideal,
  ratio: Number((ideal / seconds).toFixed(3)),
  must: 0.85,
});

// CPU of a whole run (agent loop, store, planning and all threads) per model call, divided by the CPU of a bare `undici`
// request with the same body, in the same process. Usage:
// cpu.mjs [prompt_bytes rollouts threads turns step_bytes]. Bodies are large by their prompt, or by `turns` steps of so many bytes.
// A run is measured twice, with all rollouts and with a quarter of them. `whole_run_ratio` counts all that the longer one
// used, the start of its threads and the compilation of its code included, which is a matter of some seconds however long
// the run is. `ratio` is what one more call costs: the difference of the two. Both have the same limits here.
// One lane, as the bare client is one loop, with as many rollouts as that has requests at once.
import { Agent, request } from 'undici';
import {
  report,
  runBatchHere,
  startServer,
  temporaryFolder,
  todoLoop,
  writePrompts,
} from './lib.mjs';

const concurrency = 64;
const [bytes = 2048, rollouts = 8000, threads = 1, turns = 5, stepBytes = 4] = process.argv
  .slice(2)
  .map(Number);
const replies = { fast: true, 'latency-ms': 20, ...todoLoop(turns, stepBytes) };

const short = await batch(Math.ceil(rollouts / 4));
const long = await batch(rollouts);
const plain = (await bare(long.calls, long.sent)) / long.calls;
const more = (long.cpu - short.cpu) / (long.calls - short.calls);
report({
  measure: 'cpu_per_model_call',
  prompt_bytes: bytes,
  threads,
  turns,
  mean_body_bytes: long.sent,
  calls: long.calls,
  call_ms: round(more),
  bare_undici_ms: round(plain),
  ratio: round(more / plain),
  whole_run_ratio: round(long.cpu / long.calls / plain),
  start_seconds: round((short.cpu - more * short.calls) / 1000),
  must: 4,
  aim: 2.5,
});

/** One run, with a server of its own. */
async function batch(count) {
  const folder = temporaryFolder();
  writePrompts(folder, count, bytes);
  const server = await startServer(replies);
  const sets = [
    `run.concurrency=${concurrency}`,
    `run.threads=${threads}`,
    `agent.max_turns=${turns}`,
    `agent.max_repeated_calls=${turns + 1}`,
  ];
  const cpu = await cpuOf(() => runBatchHere({ folder, baseUrl: server.baseUrl, sets }));
  const { requests: calls, request_bytes: sent } = await server.stats();
  server.stop();
  return { cpu, calls, sent: Math.round(sent / calls) };
}

/** As many requests of that size, with as many at once. */
async function bare(calls, bodyBytes) {
  const server = await startServer(replies);
  // The server closes what is idle for five seconds; a socket must not be used in that moment.
  const agent = new Agent({
    connections: concurrency,
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 1000,
  });
  const frame = { model: 'bench', messages: [{ role: 'user', content: '' }] };
  frame.messages[0].content = 'x'.repeat(bodyBytes - JSON.stringify(frame).length);
  const body = JSON.stringify(frame);
  let left = 0;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const response = await request(`${server.baseUrl}/chat/completions`, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json' },
        body,
      });
      await response.body.json();
    }
  };
  const send = (count) => {
    left = count;
    return Promise.all(Array.from({ length: concurrency }, worker));
  };
  await send(concurrency * 20);
  const cpu = await cpuOf(() => send(calls));
  await agent.close();
  server.stop();
  return cpu;
}

/** Milliseconds of all threads of this process. */
async function cpuOf(action) {
  const before = process.cpuUsage();
  await action();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}

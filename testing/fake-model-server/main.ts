// The fake model as a process of its own, so that a benchmark does not pay for it. Prints its address as one line of
// JSON, {"baseUrl": "...", "pid": N}, and runs until a signal or the end of standard input (`--until-stdin-ends`).
import { parseArgs } from 'node:util';
import { isJsonObject, parseJson } from '../../src/json.js';
import { startFakeModelServer } from '../fake-model-server.js';
import { toolLoop } from './tool-loop.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    'latency-ms': { type: 'string', default: '0' },
    'reply-bytes': { type: 'string', default: '0' },
    'retry-after': { type: 'string', default: '1' },
    turns: { type: 'string', default: '0' },
    tool: { type: 'string', default: 'terminal' },
    arguments: { type: 'string', default: '{"command":"true"}' },
    answer: { type: 'string', default: 'Done.' },
    fast: { type: 'boolean', default: false },
    'until-stdin-ends': { type: 'boolean', default: false },
  },
});

const toolArguments = parseJson(values.arguments);
if (!toolArguments.ok || !isJsonObject(toolArguments.value)) {
  throw new Error(`Expected --arguments to be a JSON object, got ${values.arguments}`);
}
const server = await startFakeModelServer({
  port: Number(values.port),
  host: values.host,
  latencyMs: Number(values['latency-ms']),
  replyBytes: Number(values['reply-bytes']),
  retryAfter: values['retry-after'],
  fast: values.fast,
  script: toolLoop({
    turns: Number(values.turns),
    tool: values.tool,
    arguments: toolArguments.value,
    answer: values.answer,
  }),
});
process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl, pid: process.pid })}\n`);

const stop = () => void server.close();
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
if (values['until-stdin-ends']) {
  process.stdin.resume();
  process.stdin.once('end', stop);
}

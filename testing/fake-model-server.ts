import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallLog, type FakeModelCall } from './fake-model-server/call-log.js';
import { completionBody, completionOf } from './fake-model-server/completion.js';
import type { FakeFault } from './fake-model-server/fault.js';
import {
  type ReadRequest,
  readRequest,
  readRequestFast,
} from './fake-model-server/read-request.js';
import type {
  FakeModelReply,
  FakeModelRequest,
  FakeModelScript,
} from './fake-model-server/script.js';
import { sendFault } from './fake-model-server/send-fault.js';
import { streamEvents } from './fake-model-server/stream-events.js';

export interface FakeModelServerOptions {
  /** What the model says. @default a short answer, so that a rollout ends at once */
  readonly script?: FakeModelScript;
  /** Fails requests by conversation, beside the markers in prompts. Null: no fault. */
  readonly fault?: (request: FakeModelRequest) => FakeFault | null;
  /** Time before an answer. @default 0 */
  readonly latencyMs?: number;
  /** Pads each answer to about so many bytes. @default 0 */
  readonly replyBytes?: number;
  /** `Retry-After` of a 429 that a marker asked for. @default '1' */
  readonly retryAfter?: string;
  /** Does not parse requests; the script then knows only `assistantTurns`. @default false */
  readonly fast?: boolean;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default 0, any free port */
  readonly port?: number;
}

/** A running fake model. */
export interface FakeModelServer {
  /** For `base_url`: ends in `/v1`. */
  readonly baseUrl: string;
  /** Requests so far, failed ones included. */
  readonly requests: number;
  /** How often each conversation was sent. Also at `GET /__calls`; totals and times at `GET /__stats`. */
  calls(): readonly FakeModelCall[];
  /** Sockets that are open now. */
  connections(): Promise<number>;
  /** Stops at once; open requests are cut off. */
  close(): Promise<void>;
}

/**
 * Starts an OpenAI-compatible server with a scripted model: a real HTTP server for tests and benchmarks.
 * Prompts may ask for faults by markers, see `faultsInPrompt`.
 */
export async function startFakeModelServer(
  options: FakeModelServerOptions = {},
): Promise<FakeModelServer> {
  const log = new CallLog();
  const server = createServer((request, response) => {
    if (
      request.method === 'POST' &&
      (request.url ?? '').split('?')[0]?.endsWith('/chat/completions')
    ) {
      readBody(request, (body) => void answerChat(body, response, options, log));
    } else {
      request.resume();
      answerOther(request, response, log);
    }
  });
  // An idle socket that the server closes would look like a fault of the client under test.
  server.keepAliveTimeout = 120_000;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${options.host ?? '127.0.0.1'}:${port}/v1`,
    get requests() {
      return log.requests;
    },
    calls: () => log.calls(),
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(
  server: Server,
  { port = 0, host = '127.0.0.1' }: FakeModelServerOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () =>
    done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
  );
}

async function answerChat(
  body: Buffer,
  response: ServerResponse,
  options: FakeModelServerOptions,
  log: CallLog,
): Promise<void> {
  const read = options.fast === true ? readRequestFast(body) : readRequest(body);
  if (read === null) {
    sendJson(response, 400, {
      error: { message: 'not a chat completion request', type: 'invalid_request_error' },
    });
    return;
  }
  const request: FakeModelRequest = {
    ...read.request,
    attempt: log.request(read.key, body.length),
  };
  const reply = await scriptedReply(options, request, response);
  if (reply === null) {
    return;
  }
  const fault = reply.fault ?? options.fault?.(request) ?? faultOf(read, request, options);
  const send = () => sendReply(response, read, request, reply, fault, options, log);
  const latencyMs = reply.latencyMs ?? options.latencyMs ?? 0;
  if (latencyMs > 0) {
    setTimeout(send, latencyMs);
  } else {
    send();
  }
}

async function scriptedReply(
  { script }: FakeModelServerOptions,
  request: FakeModelRequest,
  response: ServerResponse,
): Promise<FakeModelReply | null> {
  try {
    return script === undefined ? { content: 'Done.' } : await script(request);
  } catch (thrown) {
    const message = `the script of the fake model failed: ${String(thrown)}`;
    sendJson(response, 501, { error: { message, type: 'fake_script_error' } });
    return null;
  }
}

function faultOf(
  { faults }: ReadRequest,
  { attempt, assistantTurns }: FakeModelRequest,
  { retryAfter }: FakeModelServerOptions,
): FakeFault | null {
  const rule = faults.find(
    ({ times, turn }) => attempt <= times && (turn === null || turn === assistantTurns),
  );
  if (rule === undefined) {
    return null;
  }
  return rule.fault.type === 'status' && retryAfter !== undefined
    ? { ...rule.fault, retryAfter }
    : rule.fault;
}

function sendReply(
  response: ServerResponse,
  read: ReadRequest,
  request: FakeModelRequest,
  reply: FakeModelReply,
  fault: FakeFault | null,
  options: FakeModelServerOptions,
  log: CallLog,
): void {
  const completion = completionOf(request, fault?.type === 'empty' ? {} : reply, read.bytes);
  if (request.stream && (fault === null || fault.type === 'empty' || fault.type === 'cut')) {
    sendStream(response, streamEvents(completion, wantsUsage(request)), fault?.type === 'cut');
    if (fault?.type !== 'cut') {
      log.answer(read.key);
    }
    return;
  }
  const body = completionBody(completion);
  if (fault !== null && fault.type !== 'empty') {
    sendFault(response, fault, JSON.stringify(body));
    return;
  }
  log.answer(read.key);
  const text = JSON.stringify(body);
  const missing = (options.replyBytes ?? 0) - text.length;
  sendText(response, missing > 0 ? padded(text, missing) : text);
}

/** The padding is a field that no client knows, so that the conversation does not grow by it. */
function padded(text: string, missing: number): string {
  return `${text.slice(0, -1)},"padding":"${'padding '.repeat(Math.ceil(missing / 8)).slice(0, missing)}"}`;
}

function wantsUsage({ body }: FakeModelRequest): boolean {
  const streamOptions = body?.['stream_options'];
  return (
    typeof streamOptions === 'object' &&
    streamOptions !== null &&
    'include_usage' in streamOptions &&
    streamOptions['include_usage'] === true
  );
}

function sendStream(response: ServerResponse, events: readonly string[], cut: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const sent = cut ? events.slice(0, Math.ceil(events.length / 2)) : events;
  for (const event of sent) {
    response.write(event);
  }
  if (cut) {
    response.write('', () => response.destroy());
  } else {
    response.end();
  }
}

function answerOther(request: IncomingMessage, response: ServerResponse, log: CallLog): void {
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (request.method === 'GET' && path === '/__calls') {
    sendJson(response, 200, log.calls());
  } else if (request.method === 'GET' && path === '/__stats') {
    sendJson(response, 200, log.totals());
  } else if (request.method === 'POST' && path === '/__reset') {
    log.clear();
    sendJson(response, 200, {});
  } else if (request.method === 'GET' && path.endsWith('/models')) {
    sendJson(response, 200, { object: 'list', data: [{ id: 'fake', object: 'model' }] });
  } else {
    sendJson(response, 404, { detail: 'Not Found' });
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, JSON.stringify(value), status);
}

function sendText(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

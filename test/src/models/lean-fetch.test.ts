import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import {
  createLeanFetch,
  type LeanFetch,
  type LeanRequest,
} from '../../../src/models/lean-fetch.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((clean) => clean()));
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server and a client for it. */
async function serve(
  handle: Handler,
  connections = 4,
  limits: { readonly maxAnswerBytes?: number } = {},
): Promise<{ url: string; lean: LeanFetch; server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lean = createLeanFetch({ connections, ...limits });
  cleanups.push(
    () => lean.close(),
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x?y=1`, lean, server };
}

const post = (overrides: Partial<LeanRequest> = {}): LeanRequest => ({
  method: 'POST',
  headers: { 'content-type': 'text/plain' },
  body: 'ping',
  signal: null,
  ...overrides,
});

test('method, path, headers and body arrive, and the answer comes back', async () => {
  const { url, lean } = await serve((request, response, body) => {
    response.setHeader('x-seen', ['a', 'b']);
    response.end(
      JSON.stringify([request.method, request.url, request.headers['content-type'], body]),
    );
  });
  const response = await lean.fetch(url, post({ body: Buffer.from('pïng') }));
  expect(response).toMatchObject({ ok: true, status: 200, url });
  expect(response.headers.get('X-Seen')).toBe('a, b');
  expect(response.headers.get('x-none')).toBeNull();
  expect([...response.headers]).toContainEqual(['x-seen', 'a, b']);
  expect(await response.json()).toEqual(['POST', '/x?y=1', 'text/plain', 'pïng']);
});

test('an error status is an answer with its body', async () => {
  const { url, lean } = await serve((_, response) => {
    response.writeHead(429, { 'retry-after': '3' });
    response.end('slow down');
  });
  const response = await lean.fetch(url, post());
  expect(response).toMatchObject({ ok: false, status: 429 });
  expect(response.headers.get('retry-after')).toBe('3');
  expect(await response.text()).toBe('slow down');
});

test('an empty body is an empty text', async () => {
  const { url, lean } = await serve((_, response) => {
    response.writeHead(204);
    response.end();
  });
  expect(await (await lean.fetch(url, post())).text()).toBe('');
  expect((await (await lean.fetch(url, post())).arrayBuffer()).byteLength).toBe(0);
});

test('characters that are split between packets stay whole', async () => {
  const bytes = Buffer.from('日本語');
  const { url, lean } = await serve((_, response) => {
    response.write(bytes.subarray(0, 4));
    setTimeout(() => response.end(bytes.subarray(4)), 20);
  });
  expect(await (await lean.fetch(url, post())).text()).toBe('日本語');
});

test.each([
  ['gzip', gzipSync('packed text')],
  ['br', brotliCompressSync('packed text')],
])(
  'an answer that came packed by %s without being asked for is unpacked',
  async (encoding, body) => {
    const { url, lean } = await serve((_, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(body);
    });
    expect(await (await lean.fetch(url, post())).text()).toBe('packed text');
    const bytes = await (await lean.fetch(url, post())).arrayBuffer();
    expect(Buffer.from(bytes).toString()).toBe('packed text');
  },
);

test('a streaming body is read piece by piece', async () => {
  let release = () => {};
  const { url, lean } = await serve((_, response) => {
    response.write('first');
    release = () => response.end('second');
  });
  const response = await lean.fetch(url, post());
  const seen: string[] = [];
  for await (const chunk of response.body) {
    seen.push(Buffer.from(chunk).toString());
    release();
  }
  expect(seen).toEqual(['first', 'second']);
});

test('leaving a streaming body early closes its connection', async () => {
  const { url, lean, server } = await serve((_, response) => {
    response.write('first');
  });
  const closed = new Promise((resolve) => {
    server.on('connection', (socket) => socket.on('close', resolve));
  });
  for await (const _chunk of (await lean.fetch(url, post())).body) {
    break;
  }
  await closed;
});

test('an abort before the answer rejects with its reason', async () => {
  const controller = new AbortController();
  const { url, lean } = await serve(() => controller.abort(new Error('enough')));
  await expect(lean.fetch(url, post({ signal: controller.signal }))).rejects.toThrow('enough');
});

test('an abort in the middle of the body rejects with its reason, for text and for a stream', async () => {
  const { url, lean } = await serve((_, response) => {
    response.write('half');
  });
  const first = new AbortController();
  const text = (await lean.fetch(url, post({ signal: first.signal }))).text();
  first.abort(new Error('enough'));
  await expect(text).rejects.toThrow('enough');
  const second = new AbortController();
  const read = async () => {
    for await (const _chunk of (await lean.fetch(url, post({ signal: second.signal }))).body) {
      second.abort(new Error('enough'));
    }
  };
  await expect(read()).rejects.toThrow('enough');
});

test('a signal that was aborted before sends nothing', async () => {
  let requests = 0;
  const { url, lean } = await serve((_, response) => {
    requests += 1;
    response.end();
  });
  await expect(
    lean.fetch(url, post({ signal: AbortSignal.abort(new Error('late')) })),
  ).rejects.toThrow('late');
  expect(requests).toBe(0);
});

test('a connection that is refused, closed or cut off rejects with the code of the system', async () => {
  const lean = createLeanFetch({ connections: 1 });
  cleanups.push(() => lean.close());
  await expect(lean.fetch('http://127.0.0.1:9/', post())).rejects.toMatchObject({
    name: 'TransportError',
    code: 'ECONNREFUSED',
  });
  const closing = await serve((_, response) => response.destroy());
  await expect(closing.lean.fetch(closing.url, post())).rejects.toMatchObject({
    code: 'UND_ERR_SOCKET',
  });
  const cutting = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  const half = await cutting.lean.fetch(cutting.url, post());
  await expect(half.text()).rejects.toMatchObject({
    name: 'TransportError',
    code: 'UND_ERR_SOCKET',
  });
});

test('a server that closed idle connections is reached over new ones', async () => {
  const { url, lean, server } = await serve((_, response) => response.end('ok'));
  for (let call = 0; call < 3; call++) {
    expect(await (await lean.fetch(url, post())).text()).toBe('ok');
    server.closeIdleConnections();
    await new Promise((resolve) => setImmediate(resolve));
  }
});

test('no more sockets are open than asked for', async () => {
  let most = 0;
  const { url, lean, server } = await serve((_, response) => {
    server.getConnections((_error, count) => {
      most = Math.max(most, count);
      setTimeout(() => response.end('ok'), 5);
    });
  }, 3);
  await Promise.all(Array.from({ length: 20 }, async () => (await lean.fetch(url, post())).text()));
  expect(most).toBe(3);
});

test('nothing is left on a signal that outlives the request', async () => {
  const { url, lean } = await serve((_, response) => response.end('ok'));
  const { signal } = new AbortController();
  for (let call = 0; call < 20; call++) {
    await (await lean.fetch(url, post({ signal }))).text();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
});

test.each([
  ['as it is', null, () => Buffer.alloc(3 << 20, ' ')],
  ['packed', 'gzip', () => gzipSync(Buffer.alloc(3 << 20, ' '))],
])(
  'an answer longer than the limit, %s, is given up and its connection closed',
  async (_how, encoding, body) => {
    const { url, lean, server } = await serve(
      (_, response) => {
        if (encoding !== null) {
          response.setHeader('content-encoding', encoding);
        }
        // It never ends by itself.
        response.write(body());
      },
      4,
      { maxAnswerBytes: 2 << 20 },
    );
    const tooLong = { name: 'TransportError', code: 'ANSWER_TOO_LONG' };
    await expect((await lean.fetch(url, post())).text()).rejects.toMatchObject(tooLong);
    const pieces = async () => {
      for await (const piece of (await lean.fetch(url, post())).body) {
        expect(piece.length).toBeGreaterThan(0);
      }
    };
    await expect(pieces()).rejects.toMatchObject(tooLong);
    await expect
      .poll(
        () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
      )
      .toBe(0);
  },
);

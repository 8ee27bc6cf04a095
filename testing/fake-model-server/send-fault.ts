import type { ServerResponse } from 'node:http';
import type { FakeErrorBody, FakeFault } from './fault.js';

/** Fails a request. `answer` is the body that it would have had; `empty` is no fault of the transport and not sent here. */
export function sendFault(response: ServerResponse, fault: FakeFault, answer: string): void {
  switch (fault.type) {
    case 'status':
      sendStatus(response, fault.status, fault.retryAfter, fault.error);
      break;
    case 'hang':
      break;
    case 'reset':
      response.destroy();
      break;
    case 'cut':
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(answer),
      });
      response.write(answer.slice(0, Math.ceil(answer.length / 2)), () => response.destroy());
      break;
    case 'malformed':
      send(response, 200, answer.slice(0, Math.ceil(answer.length / 2)));
      break;
    case 'html':
      send(response, 200, '<html><title>Please wait</title></html>', 'text/html');
      break;
    case 'error_in_200':
      send(response, 200, JSON.stringify({ error: fault.error }));
      break;
    case 'no_choices':
    case 'empty':
      send(response, 200, '{"object":"chat.completion"}');
      break;
  }
}

function sendStatus(
  response: ServerResponse,
  status: number,
  retryAfter: string | undefined,
  error: FakeErrorBody = {
    message: `the script answers ${status}`,
    type: 'fake_error',
    code: null,
  },
): void {
  const wait = retryAfter ?? (status === 429 ? '1' : undefined);
  if (wait !== undefined) {
    response.setHeader('retry-after', wait);
  }
  send(response, status, JSON.stringify({ error }));
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'application/json',
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

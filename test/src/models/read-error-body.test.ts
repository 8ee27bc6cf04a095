import { expect, test } from 'vitest';
import { readErrorBody } from '../../../src/models/read-error-body.js';

test('the error object of OpenAI is read', () => {
  const body = '{"error":{"message":"No","type":"invalid_request_error","code":"bad"}}';
  expect(readErrorBody(body)).toEqual({
    message: 'No',
    type: 'invalid_request_error',
    code: 'bad',
    status: null,
  });
});

test('the bare error object of vLLM is read', () => {
  const body = '{"object":"error","message":"Too long","type":"BadRequestError","code":400}';
  expect(readErrorBody(body)).toMatchObject({
    message: 'Too long',
    type: 'BadRequestError',
    status: 400,
  });
});

test('what a gateway wraps is unwrapped', () => {
  const raw = JSON.stringify({ error: { message: 'Overloaded', type: 'overloaded_error' } });
  const body = JSON.stringify({
    error: { message: 'Provider returned error', code: 502, metadata: { raw } },
  });
  expect(readErrorBody(body)).toEqual({
    message: 'Provider returned error: Overloaded',
    type: 'overloaded_error',
    code: null,
    status: 502,
  });
});

test('the details of FastAPI are read', () => {
  expect(readErrorBody('{"detail":"Not Found"}').message).toBe('Not Found');
  const body = JSON.stringify({ detail: [{ loc: ['body', 'model'], msg: 'field required' }] });
  expect(readErrorBody(body).message).toBe('validation error for body.model: field required');
});

test('of a page of HTML the title is kept', () => {
  const page = '<html><head><title>502 Bad\nGateway</title></head><body>long</body></html>';
  expect(readErrorBody(page).message).toBe('502 Bad Gateway');
});

test('a text is cut to a readable length', () => {
  expect(readErrorBody('x'.repeat(100_000)).message.length).toBeLessThan(600);
});

test('an empty body has an empty message', () => {
  expect(readErrorBody('').message).toBe('');
});

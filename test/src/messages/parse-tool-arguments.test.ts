import { describe, expect, it } from 'vitest';
import { parseToolArguments } from '../../../src/messages/parse-tool-arguments.js';

function errorOf(text: string): string {
  const parsed = parseToolArguments(text);
  return parsed.ok ? 'no error' : parsed.error;
}

describe('parseToolArguments', () => {
  it('reads a JSON object', () => {
    expect(parseToolArguments('{"command":"ls","n":[1,{"a":null}]}')).toEqual({
      ok: true,
      value: { command: 'ls', n: [1, { a: null }] },
    });
  });

  it.each(['', '  \n'])('reads empty text (%j) as no arguments', (text) => {
    expect(parseToolArguments(text)).toEqual({ ok: true, value: {} });
  });

  it.each([
    ['[1]', 'an array'],
    ['"{\\"a\\":1}"', 'a string'],
    ['3', 'a number'],
    ['true', 'a boolean'],
    ['null', 'null'],
  ])('refuses %s and says what it is', (text, kind) => {
    expect(errorOf(text)).toBe(`The arguments must be a JSON object, not ${kind}.`);
  });

  it.each([
    '{"path":"a.txt","content":"half of a fi',
    '{"a":1,}',
    '{"a":1}{"a":1}',
    "{'a':1}",
    'None',
    '{"a":"line\nbreak"}',
  ])('never guesses at broken JSON: %j', (text) => {
    expect(errorOf(text)).toContain('not valid JSON');
  });

  it('keeps the sentence short and well formed, whatever the text was', () => {
    const error = errorOf(`{"a": ${'\ud800\n'.repeat(10_000)}`);
    expect(error.length).toBeLessThan(300);
    expect(error).not.toContain('\n');
    expect(error.isWellFormed()).toBe(true);
  });

  it.each([
    '{"__proto__":{"admin":true}}',
    '{"a":[{"\\u005f_proto__":1}]}',
    '{"constructor":{"prototype":{"x":1}}}',
  ])('refuses keys that reach for a prototype: %s', (text) => {
    expect(errorOf(text)).toContain('not allowed');
  });

  it('allows the plain word constructor as a key', () => {
    expect(parseToolArguments('{"constructor":"Car"}').ok).toBe(true);
  });

  it('refuses nesting that would overflow the stack of whoever reads it', () => {
    const depth = 100_000;
    expect(errorOf(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)).toContain('nested');
  });

  it('replaces lone surrogates that were written as escapes, in values and in keys', () => {
    const parsed = parseToolArguments('{"a\\ud800":["\\udc00x"],"pair":"\\ud83d\\ude00"}');
    expect(parsed).toEqual({ ok: true, value: { 'a\ufffd': ['\ufffdx'], pair: '😀' } });
  });
});

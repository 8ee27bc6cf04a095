import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../src/json.js';
import { coerceArguments } from '../../../src/tools/coerce-arguments.js';

function coerceField(value: Json, type: z.ZodType): Json | undefined {
  const schema = z.toJSONSchema(z.strictObject({ field: type }), { io: 'input' }) as JsonObject;
  return coerceArguments({ field: value }, schema)['field'];
}

const item = z.strictObject({ id: z.string(), done: z.boolean().optional() });

describe('an argument is put right where its schema leaves no doubt', () => {
  test.each<[string, Json, z.ZodType, Json]>([
    ['digits for an integer', '42', z.int(), 42],
    ['digits with white space', ' 42 ', z.int(), 42],
    ['an integer written as a fraction', '42.0', z.int(), 42],
    ['a negative number', '-1.5', z.number(), -1.5],
    ['an exponent', '1e3', z.number(), 1000],
    ['true in words', 'true', z.boolean(), true],
    ['False as Python writes it', 'False', z.boolean(), false],
    ['null in words', 'null', z.int().nullable(), null],
    ['a list as JSON text', '["a","b"]', z.array(z.string()), ['a', 'b']],
    ['a list of numbers as text', '["1",2]', z.array(z.int()), [1, 2]],
    ['an object as JSON text', '{"id":"1"}', item, { id: '1' }],
    ['one text for a list', 'a', z.array(z.string()), ['a']],
    ['one number for a list', 3, z.array(z.int()), [3]],
    ['one object for a list', { id: 'a' }, z.array(item), [{ id: 'a' }]],
    ['items of a list', [{ id: 1, done: 'true' }], z.array(item), [{ id: '1', done: true }]],
    ['a number for text', 7, z.string(), '7'],
    ['the first fitting branch', '5', z.union([z.int(), z.boolean()]), 5],
    ['the second fitting branch', 'true', z.union([z.int(), z.boolean()]), true],
    ['values of a record', { a: '1' }, z.record(z.string(), z.int()), { a: 1 }],
  ])('%s', (_name, value, type, expected) => {
    expect(coerceField(value, type)).toEqual(expected);
  });
});

describe('an argument stays as it is', () => {
  test.each<[string, Json, z.ZodType]>([
    ['text that looks like a number where text is wanted', '42', z.string()],
    ['text that looks like JSON where text is wanted', '{"a":1}', z.string()],
    ['text that says null where text or null is wanted', 'null', z.string().nullable()],
    ['a fraction for an integer', '4.5', z.int()],
    ['an integer that a number cannot hold', '9007199254740993', z.int()],
    ['infinity', 'Infinity', z.number()],
    ['an overflow', '1e999', z.number()],
    ['not a number', 'NaN', z.number()],
    ['a hexadecimal number', '0x10', z.int()],
    ['empty text for a number', '', z.number()],
    ['a yes for a boolean', 'yes', z.boolean()],
    ['a number for a boolean', 1, z.boolean()],
    ['a list as text for an object', '[1]', item],
    ['an object for text', { a: 1 }, z.string()],
    ['null for a list', null, z.array(z.string())],
    ['an object for a list of numbers', { a: 1 }, z.array(z.int())],
    ['anything for anything', { a: '1' }, z.unknown()],
  ])('%s', (_name, value, type) => {
    expect(coerceField(value, type)).toEqual(value);
  });
});

test('the input is not changed, and unknown keys are kept for the check that follows', () => {
  const input: JsonObject = { n: '1', list: [{ id: 2 }], extra: '3' };
  const before = structuredClone(input);
  const schema = z.toJSONSchema(z.strictObject({ n: z.int(), list: z.array(item) }));
  expect(coerceArguments(input, schema as JsonObject)).toEqual({
    n: 1,
    list: [{ id: '2' }],
    extra: '3',
  });
  expect(input).toEqual(before);
});

test('a key named __proto__ stays a plain key and sets no prototype', () => {
  const input = JSON.parse('{"__proto__":{"polluted":true},"n":"1"}') as JsonObject;
  const schema = z.toJSONSchema(z.strictObject({ n: z.int() })) as JsonObject;
  const coerced = coerceArguments(input, schema);
  expect(Object.keys(coerced)).toEqual(['__proto__', 'n']);
  expect(Object.getPrototypeOf(coerced)).toBe(Object.prototype);
});

import { expect, it } from 'vitest';
import { records } from '../../../datasets/formats/records.js';
import type { RolloutRecord } from '../../../src/rollout/record.js';
import { assistant, call, encodeAll, recordWith, sampleRecord } from '../sample-record.js';

it('writes every record, whatever its status, and loses nothing', async () => {
  const all = [
    sampleRecord({
      status: 'failed',
      error: { class: 'timeout', message: 'slow', retryable: true },
    }),
    sampleRecord({ status: 'discarded', discard_reason: 'no_reasoning' }),
    recordWith(
      assistant({
        provider_state: { signature: 'abc' },
        tool_calls: [call('1', 'todo', '{ "a" : 1.0 }')],
      }),
    ),
    sampleRecord({
      tokens: {
        source: 'engine',
        turns: [{ prompt_ids: [1, 2], completion_ids: [3], completion_logprobs: [-0.5] }, null],
      },
      sandbox: { kind: 'docker', image: 'debian' },
    }),
  ];
  const { lines } = await encodeAll(records, all);
  expect(lines.map((line) => JSON.parse(line))).toEqual(all);
  expect(
    lines.every((line) => line.endsWith('}\n') && line.indexOf('\n') === line.length - 1),
  ).toBe(true);
});

it('writes equal records as equal text, in whatever order their keys came', async () => {
  const record = sampleRecord({ sandbox: { kind: 'docker', image: null } });
  const { lines } = await encodeAll(records, [record, reversed(record) as RolloutRecord]);
  expect(lines[1]).toBe(lines[0]);
  expect(lines[0]?.startsWith('{"schema":"talaria/record/1","run":"demo",')).toBe(true);
});

it('keeps the order of keys in the schemas of tools and in metadata, which a prompt may depend on', async () => {
  const tools = [{ name: 'a', description: '', parameters: { z: 1, a: { y: 1, b: 2 } } }];
  const { lines } = await encodeAll(records, [sampleRecord({ tools })]);
  expect(lines[0]).toContain('"parameters":{"z":1,"a":{"y":1,"b":2}}');
});

it('keeps fields of a later version that it does not know', async () => {
  const later = { ...sampleRecord(), zz_new: 1, aa_new: [2] };
  const { lines } = await encodeAll(records, [later]);
  expect(JSON.parse(lines[0] ?? '')).toEqual(later);
});

/** The same value with the keys of its own structure in the opposite order; free-form parts untouched. */
function reversed(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => reversed(item));
  }
  if (typeof value !== 'object' || value === null || ['parameters', 'metadata'].includes(key)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item, name)]),
  );
}

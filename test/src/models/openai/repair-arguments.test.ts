import { expect, test } from 'vitest';
import { repairArguments } from '../../../../src/models/openai/repair-arguments.js';

test.each([
  ['an object as it is', '{ "a": 1 }', '{ "a": 1 }'],
  ['nothing', '', '{}'],
  ['the word None', 'None', '{}'],
  ['a list', '[1, 2]', '{}'],
  ['an object that was encoded twice', '"{\\"a\\": 1}"', '{"a":1}'],
  ['a line break inside a string', '{"a": "x\ny"}', '{"a":"x\\ny"}'],
  ['trailing commas', '{"a": [1, 2,], "b": 2,}', '{"a":[1,2],"b":2}'],
  ['a missing end', '{"a": {"b": [1, 2', '{"a":{"b":[1,2]}}'],
  ['a string that was cut off', '{"command": "rm -rf /tmp/x', '{"command":"rm -rf /tmp/x"}'],
  ['a string cut off in an escape', '{"a": "x\\', '{"a":"x"}'],
  ['a key without a value', '{"a": 1, "b":', '{"a":1,"b":null}'],
  ['a missing inner end', '{"a": [1, 2}', '{"a":[1,2]}'],
  ['too many ends', '{"a": 1}}}]', '{"a":1}'],
  ['brackets in a string', '{"a": "}]{", ', '{"a":"}]{"}'],
  ['half of an escaped emoji', '{"a": "x\\ud83d"}', '{"a":"x\uFFFD"}'],
  ['a whole escaped emoji', '{"a": "\\ud83d\\ude00"}', '{"a": "\\ud83d\\ude00"}'],
  ['two objects', '{"a": 1}{"a": 1}', '{}'],
  ['prose', 'I will now run ls', '{}'],
  ['a flood of ends', `{"a": 1${'}'.repeat(100)}`, '{}'],
  ['a line break that is escaped', '{"a": "x\\\ny"}', '{}'],
  ['nesting that no server would parse', nested(100_000), '{}'],
  ['deep nesting beside an escaped emoji', nested(100_000, '"\\ud83d\\ude00"'), '{}'],
  ['deep nesting that was encoded twice', JSON.stringify(nested(100_000)), '{}'],
  ['a megabyte of openers', `{"a":${'['.repeat(1_000_000)}`, '{}'],
  ['openers below half a megabyte of pairs', `${'['.repeat(60)}${'{}'.repeat(250_000)}`, '{}'],
  [
    'a megabyte of backslashes',
    `{"a":"${'\\'.repeat(1_000_000)}`,
    `{"a":"${'\\'.repeat(1_000_000)}"}`,
  ],
])('%s', (_what, text, expected) => {
  expect(repairArguments(text)).toBe(expected);
});

function nested(levels: number, core = '1'): string {
  return `{"a":${'['.repeat(levels)}${core}${']'.repeat(levels)}}`;
}

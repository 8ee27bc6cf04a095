import { expect, it } from 'vitest';
import { spacedJson } from '../../datasets/spaced-json.js';

it.each([
  ['{}', '{}'],
  ['{"a":1,"b":[1,2]}', '{"a": 1, "b": [1, 2]}'],
  ['{\n  "a" : [\n    true ,\tnull\r\n  ]\n}', '{"a": [true, null]}'],
  ['{"a:b,c":"d: e,f {  }"}', '{"a:b,c": "d: e,f {  }"}'],
  ['{"quote":"say \\"a, b\\" \\\\","next":1}', '{"quote": "say \\"a, b\\" \\\\", "next": 1}'],
  ['[1.0,1e5,-0,12345678901234567890]', '[1.0, 1e5, -0, 12345678901234567890]'],
  ['{"\\u00e9":"\\ud83d\\ude00"}', '{"\\u00e9": "\\ud83d\\ude00"}'],
  [' [ ] ', '[]'],
  ['""', '""'],
])('spaces %j as %j', (text, spaced) => {
  expect(spacedJson(text)).toBe(spaced);
});

it('takes a string of a million escapes in one go', () => {
  const text = JSON.stringify(['\\"'.repeat(500_000), '\n']);
  expect(spacedJson(text)).toBe(text.replace('","', '", "'));
});

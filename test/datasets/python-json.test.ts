import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { hermes } from '../../datasets/formats/hermes.js';
import { records } from '../../datasets/formats/records.js';
import { parsePortable } from '../../datasets/portable-json.js';
import { assistant, call, encodeAll, recordWith, result } from './sample-record.js';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const digits = '9'.repeat(5000);

/** Loads every line, and the JSON in the tags of its turns, as a trainer's collator does. */
const loader = `
import json, re, sys
count = 0
for line in sys.stdin:
    row = json.loads(line)
    for turn in row.get("conversations", [])[1:]:
        for tag in ("tool_call", "tool_response"):
            for block in re.findall(f"<{tag}>\\n(.*?)\\n</{tag}>", turn["value"], re.S):
                json.loads(block)
                count += 1
print(count)
`;

const hasPython = havePython();

function havePython(): boolean {
  const found = spawnSync('python3', ['-c', 'import json']).status === 0;
  if (!found && process.env['TALARIA_REQUIRE']?.split(',').includes('python')) {
    throw new Error('TALARIA_REQUIRE names python, and there is no python3 here');
  }
  if (!found) {
    process.stderr.write('skipped: there is no python3 here to load exported rows with\n');
  }
  return found;
}

const hostile = recordWith(
  assistant({
    tool_calls: [
      call('1', 'todo', `{"todos": ${nested(5000)}}`),
      call('2', 'todo', `{"todos": ${digits}}`),
      call('3', 'todo', `{"todos": "${digits}"}`),
      call('4', 'todo', `{"todos": ${nested(60)}}`),
    ],
  }),
  result('1', 'todo', nested(5000)),
  result('2', 'todo', `{"number": ${digits}}`),
  result('3', 'todo', `{"text": "${digits}", "float": 0.${digits}, "huge": 1e999}`),
  result('4', 'todo', nested(60)),
  assistant({ content: 'Done.' }),
);

describe('rows of a hostile conversation', () => {
  it.skipIf(!hasPython)("load with Python's json, with all that is in their turns", async () => {
    const { lines } = await encodeAll(hermes, [hostile]);
    const loaded = spawnSync('python3', ['-c', loader], { input: lines.join('\n') });
    expect(loaded.stderr.toString()).toBe('');
    expect(loaded.stdout.toString()).toBe('8\n');
  });

  it.skipIf(!hasPython)('load as records, too', async () => {
    const { lines } = await encodeAll(records, [hostile]);
    const loaded = spawnSync('python3', ['-c', loader], { input: lines.join('\n') });
    expect(loaded.stderr.toString()).toBe('');
  });

  it('keep what can be kept: results as text, and a flag for arguments', async () => {
    const { lines } = await encodeAll(hermes, [hostile]);
    const row = JSON.parse(lines[0] ?? '') as { flags: string; conversations: { value: string }[] };
    expect(row.flags).toBe('unparsed_arguments');
    const [, , calls, results] = row.conversations.map(({ value }) => value);
    expect(calls?.match(/"arguments": \{\}/g)).toHaveLength(2);
    expect(results).toContain(`"content": ${JSON.stringify(nested(5000))}`);
    expect(results).toContain(`"content": ${nested(60)}`);
  });
});

it.each([
  [nested(65), false],
  [nested(64), true],
  [`[${digits}]`, false],
  [`["${digits}"]`, true],
])('text of JSON is taken where every reader takes it', (text, ok) => {
  expect(parsePortable(text).ok).toBe(ok);
});

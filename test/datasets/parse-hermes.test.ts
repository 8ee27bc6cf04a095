import { describe, expect, it } from 'vitest';
import { hermes } from '../../datasets/formats/hermes.js';
import type { HermesTurn } from '../../datasets/hermes-turn.js';
import { type ParsedHermesTurn, parseHermes } from '../../datasets/parse-hermes.js';
import type { Message } from '../../src/messages/message.js';
import { type Random, seededRandom } from '../../src/random.js';
import type { RolloutRecord } from '../../src/rollout/record.js';
import { assistant, call, encodeAll, result, sampleRecord } from './sample-record.js';

describe('reading rows back', () => {
  it('gives back the structure of what was written', async () => {
    const [system, ...turns] = await parsed(sampleRecord());
    expect(system).toMatchObject({ from: 'system', tools: [{ name: 'terminal', required: null }] });
    expect(turns).toEqual([
      { from: 'human', text: 'How many files?' },
      {
        from: 'gpt',
        reasoning: 'Count them.',
        content: '',
        calls: [{ name: 'terminal', arguments: '{"command": "ls | wc -l"}' }],
      },
      {
        from: 'tool',
        results: [
          { tool_call_id: 'c1', name: 'terminal', content: '{"output": "2", "exit_code": 0}' },
        ],
      },
      { from: 'gpt', reasoning: null, content: 'Two.', calls: [] },
    ]);
  });

  it('reads rows of other writers: no think block, other spacing, no ids', () => {
    const turns = parseHermes([
      { from: 'system', value: 'You call functions.\n<tools>\n[]\n</tools>\nBye.' },
      { from: 'gpt', value: 'Hi.\n<tool_call>\n{"arguments":{"a":1},"name":"f"}\n</tool_call>' },
      { from: 'tool', value: '<tool_response>\n{"content":{"b":2}}\n</tool_response>' },
      { from: 'system', value: 'No tools here.' },
    ]);
    expect(turns).toEqual({
      ok: true,
      turns: [
        { from: 'system', text: 'You call functions.\n<tools>\n[]\n</tools>\nBye.', tools: [] },
        {
          from: 'gpt',
          reasoning: null,
          content: 'Hi.',
          calls: [{ name: 'f', arguments: '{"a":1}' }],
        },
        { from: 'tool', results: [{ tool_call_id: null, name: null, content: '{"b":2}' }] },
        { from: 'system', text: 'No tools here.', tools: null },
      ],
    });
  });

  it.each([
    ['gpt', '<think>\nendless', 'think block that does not end'],
    ['gpt', '<think>\n</think>\n<think>\n</think>', 'a tag inside the text'],
    ['gpt', '<think>\nx\n</think> same line', 'on the line of the closing think tag'],
    ['gpt', 'a </tool_call> b', 'a tag inside the text'],
    ['gpt', '<tool_call>\n{"name": "f", "arguments": {}}', 'does not end'],
    [
      'gpt',
      '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\nand more',
      'text between or after',
    ],
    [
      'gpt',
      '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call> x',
      'on the line of a closing tool_call',
    ],
    [
      'gpt',
      '<tool_call>\n{"name": "f"}\n</tool_call>',
      'not a JSON object with name and arguments',
    ],
    ['gpt', '<tool_call>\n{oops}\n</tool_call>', 'not a JSON object with name and arguments'],
    ['tool', 'bare text', 'outside of the tool responses'],
    ['tool', '<tool_response>\n{"name": "f"}\n</tool_response>', 'not a JSON object with content'],
    ['system', 'x\n<tools>\nnone\n</tools>\n', 'not a JSON array of objects'],
  ] as const)('refuses a %s turn %j and says why', (from, value, reason) => {
    const answer = parseHermes([
      { from: 'human', value: 'Go.' },
      { from, value },
    ]);
    expect(answer).toMatchObject({ ok: false, turn: 1, reason: expect.stringContaining(reason) });
  });
});

describe('the round trip', () => {
  it('holds for rows without a flag and for no others', async () => {
    const random = seededRandom(20_260_301);
    const records = Array.from({ length: 3000 }, () => randomRecord(random));
    const { lines } = await encodeAll(hermes, records);
    let flagged = 0;
    records.forEach((record, index) => {
      const row = JSON.parse(lines[index] ?? '') as Row;
      const answer = parseHermes(row.conversations);
      const same = answer.ok && sameTurns(answer.turns.slice(1), record.messages);
      flagged += row.flags === '' ? 0 : 1;
      expect({ same, flags: row.flags, index, row }).toMatchObject({ same: row.flags === '' });
    });
    // Both kinds must be there in numbers, or the test says nothing.
    expect(flagged).toBeGreaterThan(500);
    expect(records.length - flagged).toBeGreaterThan(500);
  });
});

interface Row {
  readonly conversations: readonly HermesTurn[];
  readonly flags: string;
}

async function parsed(record: RolloutRecord): Promise<readonly ParsedHermesTurn[]> {
  const { lines } = await encodeAll(hermes, [record]);
  const answer = parseHermes((JSON.parse(lines[0] ?? '') as Row).conversations);
  return answer.ok ? answer.turns : [];
}

/** Pieces that are hard on a format made of tags, lines and JSON. */
const pieces = [
  ...[
    'a',
    'word ',
    '\n',
    '\n\n',
    ' ',
    '\t',
    '\r\n',
    '"',
    '\\',
    '\\n',
    '{',
    '}',
    '{"a": 1}',
    '[1, 2.50]',
    ',',
    ': ',
  ],
  ...[
    'é',
    '漢字',
    '😀',
    '\u2028',
    '\u0000',
    'null',
    '<',
    '>',
    '</',
    '< think >',
    '<tools>',
    'think>',
    'tool_call',
  ],
];
const tags = [
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
];
const rare = [
  '\n</think>\n',
  '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
  '\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n',
  '<tool_response>\n{"content": 1}\n</tool_response>',
  '\ud800',
];

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T;
}

function randomText(random: Random): string {
  const count = Math.floor(random() * 7);
  return Array.from({ length: count }, () => {
    const kind = random();
    return pick(random, kind < 0.015 ? tags : kind < 0.025 ? rare : pieces);
  }).join('');
}

function randomArguments(random: Random): string {
  const kind = random();
  if (kind < 0.04) {
    return randomText(random);
  }
  const value = { [randomText(random)]: randomText(random), n: [1, { deep: randomText(random) }] };
  return kind < 0.5 ? JSON.stringify(value) : JSON.stringify(value, null, 2);
}

function randomResult(random: Random): string {
  return random() < 0.5
    ? randomText(random)
    : JSON.stringify([randomText(random)], null, random() < 0.5 ? 1 : 0);
}

function randomRecord(random: Random): RolloutRecord {
  const messages: Message[] = [{ role: 'user', content: randomText(random) }];
  const turns = 1 + Math.floor(random() * 3);
  for (let turn = 0; turn < turns; turn += 1) {
    const calls = Array.from({ length: Math.floor(random() * 3) }, (_, index) =>
      call(`${turn}-${index}`, pick(random, ['terminal', 'a "b"', 'ü']), randomArguments(random)),
    );
    messages.push(
      assistant({
        content: randomText(random),
        reasoning: random() < 0.3 ? null : randomText(random),
        tool_calls: calls,
      }),
      ...calls.reverse().map(({ id, name }) => result(id, name, randomResult(random))),
    );
  }
  return sampleRecord({ messages });
}

/** Whether turns say what the messages say; what the format is documented to lose does not count. */
function sameTurns(turns: readonly ParsedHermesTurn[], messages: readonly Message[]): boolean {
  const expected: unknown[] = [];
  for (const message of messages) {
    const last = expected.at(-1) as { from: string; results?: unknown[] } | undefined;
    if (message.role === 'user') {
      expected.push({ from: 'human', text: message.content });
    } else if (message.role === 'assistant') {
      const reasoning = message.reasoning ?? '';
      const content = message.tool_calls.length > 0 ? message.content : message.content.trimEnd();
      expected.push({
        from: 'gpt',
        reasoning: reasoning.trim() === '' ? null : reasoning,
        content: content.trim() === '' ? '' : content,
        calls: message.tool_calls.map(({ name, arguments: args }) => ({
          name,
          arguments: meaning(args),
        })),
      });
    } else if (message.role === 'tool') {
      const entry = {
        tool_call_id: message.tool_call_id,
        name: message.name,
        content: message.content,
      };
      if (last?.from === 'tool') {
        last.results?.push(entry);
      } else {
        expected.push({ from: 'tool', results: [entry] });
      }
    }
  }
  const found = turns.map((turn) =>
    turn.from === 'gpt'
      ? {
          ...turn,
          calls: turn.calls.map((each) => ({ ...each, arguments: meaning(each.arguments) })),
        }
      : turn,
  );
  return JSON.stringify(found) === JSON.stringify(expected);
}

/** JSON text without white space between its tokens; other text as it is. */
function meaning(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return `not JSON: ${text}`;
  }
}

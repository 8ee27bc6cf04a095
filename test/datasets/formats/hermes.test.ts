import { describe, expect, it } from 'vitest';
import { hermes } from '../../../datasets/formats/hermes.js';
import { hermesToolNames } from '../../../datasets/hermes-tool-names.js';
import type { HermesTurn } from '../../../datasets/hermes-turn.js';
import type { RolloutRecord } from '../../../src/rollout/record.js';
import { assistant, call, encodeAll, recordWith, result, sampleRecord } from '../sample-record.js';

interface Row {
  readonly [column: string]: unknown;
  readonly conversations: readonly HermesTurn[];
}

async function rowsOf(...records: readonly RolloutRecord[]): Promise<Row[]> {
  const { lines } = await encodeAll(hermes, records);
  return lines.map((line) => JSON.parse(line) as Row);
}

async function turnsOf(record: RolloutRecord): Promise<string[]> {
  const [row] = await rowsOf(record);
  return (row?.conversations ?? []).slice(1).map(({ from, value }) => `${from}: ${value}`);
}

async function flagsOf(record: RolloutRecord): Promise<unknown> {
  const [row] = await rowsOf(record);
  return row?.['flags'];
}

const markup = [
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
];

describe('a Hermes row', () => {
  it('has the columns of the original in its order, then ours', async () => {
    const [row] = await rowsOf(sampleRecord());
    expect(Object.keys(row ?? {})).toEqual([
      ...['prompt_index', 'conversations', 'metadata', 'completed', 'partial', 'api_calls'],
      ...['toolsets_used', 'tool_stats', 'tool_error_counts'],
      ...['other_tool_stats', 'run', 'id', 'task_key', 'sample', 'seed', 'status', 'exit_reason'],
      ...['system_prompt', 'tags', 'answer', 'task_metadata', 'rewards', 'flags', 'reward'],
    ]);
    expect(row).toMatchObject({
      prompt_index: 0,
      metadata: { batch_num: 0, timestamp: '2026-01-15T10:30:00.000Z', model: 'openai:demo' },
      completed: true,
      partial: false,
      api_calls: 2,
      toolsets_used: ['terminal'],
      flags: '',
    });
  });

  it('writes a conversation as the original does', async () => {
    expect(await turnsOf(sampleRecord())).toEqual([
      'human: How many files?',
      'gpt: <think>\nCount them.\n</think>\n<tool_call>\n{"name": "terminal", "arguments": {"command": "ls | wc -l"}}\n</tool_call>',
      'tool: <tool_response>\n{"tool_call_id": "c1", "name": "terminal", "content": {"output": "2", "exit_code": 0}}\n</tool_response>',
      'gpt: <think>\n</think>\nTwo.',
    ]);
  });

  it('writes text, two calls and both results of one assistant message in one turn each', async () => {
    const record = recordWith(
      assistant({
        content: 'Both at once.',
        reasoning: 'Two steps\n\nneeded',
        tool_calls: [call('1', 'read_file', '{"path": "a"}'), call('2', 'todo', '{}')],
      }),
      result('1', 'read_file', 'plain "text"\nof two lines'),
      result('2', 'todo', '[1, 2]'),
    );
    expect(await turnsOf(record)).toEqual([
      'human: Go.',
      [
        'gpt: <think>\nTwo steps\n\nneeded\n</think>\nBoth at once.',
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
        '<tool_call>\n{"name": "todo", "arguments": {}}\n</tool_call>',
      ].join('\n'),
      [
        'tool: <tool_response>\n{"tool_call_id": "1", "name": "read_file", "content": "plain \\"text\\"\\nof two lines"}\n</tool_response>',
        '<tool_response>\n{"tool_call_id": "2", "name": "todo", "content": [1, 2]}\n</tool_response>',
      ].join('\n'),
    ]);
  });

  it('opens with a system turn that holds preamble, tools, call schema, tags and example in this order', async () => {
    const [row] = await rowsOf(sampleRecord());
    const value = row?.conversations[0]?.value ?? '';
    const parts = [
      '<tools> </tools>',
      '<tool_response> </tool_response>',
      '\n<tools>\n[{"name": "terminal", "description": "Runs a command.", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}, "required": null}]\n</tools>\n',
      '{"title": "FunctionCall", "type": "object", "properties": {"name": ',
      '"required": ["name", "arguments"]}',
      '<tool_call> </tool_call>',
      '\nExample:\n<tool_call>\n',
    ];
    const places = parts.map((part) => value.indexOf(part));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('takes the preamble of the user and keeps the other parts', async () => {
    const { lines } = await encodeAll(hermes, [sampleRecord()], 'My own words.\n');
    const own = (JSON.parse(lines[0] ?? '') as Row).conversations[0]?.value ?? '';
    const [builtIn] = await rowsOf(sampleRecord());
    expect(own.startsWith('My own words.\n<tools>\n[')).toBe(true);
    expect(builtIn?.conversations[0]?.value.endsWith(own.slice('My own words.'.length))).toBe(true);
  });

  it('lists no tools as an empty array, and the tools of each record for itself', async () => {
    const rows = await rowsOf(
      sampleRecord({ tools: [] }),
      sampleRecord(),
      sampleRecord({ tools: [] }),
    );
    const lists = rows.map((row) => row.conversations[0]?.value.includes('<tools>\n[]\n</tools>'));
    expect(lists).toEqual([true, false, true]);
  });
});

describe('which records become rows', () => {
  it('writes completed and truncated rollouts and leaves out the others, without moving the index of a prompt', async () => {
    const statuses = [
      'completed',
      'failed',
      'truncated',
      'discarded',
      'cancelled',
      'completed',
    ] as const;
    const rows = await rowsOf(
      ...statuses.map((status, index) => sampleRecord({ status, task_key: String(index) })),
    );
    expect(rows.map((row) => [row['prompt_index'], row['status'], row['completed']])).toEqual([
      [0, 'completed', true],
      [2, 'truncated', false],
      [5, 'completed', true],
    ]);
  });

  it('gives all samples of a prompt one index', async () => {
    const samples = [
      ['a', 0],
      ['a', 1],
      ['b', 0],
    ] as const;
    const rows = await rowsOf(
      ...samples.map(([task_key, sample]) => sampleRecord({ task_key, sample })),
    );
    expect(rows.map((row) => row['prompt_index'])).toEqual([0, 0, 1]);
  });

  it('calls a rollout partial when the model broke off, and not when a budget ended it', async () => {
    const status = 'truncated';
    const cut = [assistant({ content: 'and then', finish_reason: 'length' })];
    const rows = await rowsOf(
      sampleRecord({ status, exit_reason: 'turn_budget' }),
      sampleRecord({ status, exit_reason: 'invalid_tool_calls' }),
      sampleRecord({ status, exit_reason: 'token_budget', messages: cut }),
    );
    expect(rows.map((row) => row['partial'])).toEqual([false, true, true]);
  });
});

describe('columns that a data set loader can rely on', () => {
  it('has a column for exactly the tools of the frozen list: a change would break the files that people have', () => {
    expect(hermesToolNames.join(' ')).toBe(
      [
        'web_search web_extract terminal process read_file write_file patch search_files vision_analyze',
        'image_generate mixture_of_agents skills_list skill_view skill_manage browser_navigate',
        'browser_snapshot browser_click browser_type browser_scroll browser_back browser_press',
        'browser_get_images browser_vision browser_console todo memory session_search clarify',
        'execute_code delegate_task cronjob send_message text_to_speech',
      ].join(' '),
    );
  });

  it('has the same columns in the same order with the same types in every row', async () => {
    const rich = sampleRecord({
      reward: 1,
      rewards: [
        {
          name: 'tests',
          weight: 1,
          state: 'scored',
          value: 1,
          metrics: {},
          explanation: null,
          error: null,
          seconds: 1,
        },
      ],
      tool_stats: { my_tool: { count: 1, success: 0, failure: 1 } },
      messages: [assistant({ content: '<think>' })],
    });
    const bare = sampleRecord({
      environment: 'terminal-bench',
      task: { ...sampleRecord().task, id: null, tags: [], answer: null, metadata: {} },
      tool_stats: {},
      messages: [],
    });
    const shapes = (await rowsOf(sampleRecord({ reward: 0.5 }), rich, { ...bare, reward: 0 })).map(
      shapeOf,
    );
    expect(shapes[1]).toEqual(shapes[0]);
    expect(shapes[2]).toEqual(shapes[0]);
  });

  it('writes whole rewards with a decimal point, so that they are not read as integers', async () => {
    const rewards = [1, 0, -2, 0.25, 1e21, 1e-7, null];
    const { lines } = await encodeAll(
      hermes,
      rewards.map((reward) => sampleRecord({ reward })),
    );
    expect(lines.map((line) => line.slice(line.lastIndexOf('"reward":')))).toEqual([
      ...['"reward":1.0}\n', '"reward":0.0}\n', '"reward":-2.0}\n', '"reward":0.25}\n'],
      ...['"reward":1e+21}\n', '"reward":1e-7}\n', '"reward":null}\n'],
    ]);
  });

  it('counts tools of the frozen list in their columns and all others beside them', async () => {
    const [row] = await rowsOf(
      sampleRecord({
        tool_stats: {
          zeta: { count: 1, success: 1, failure: 0 },
          terminal: { count: 3, success: 2, failure: 1 },
          __proto__x: { count: 1, success: 0, failure: 1 },
          constructor: { count: 2, success: 0, failure: 2 },
        },
      }),
    );
    const stats = row?.['tool_stats'] as Record<string, unknown>;
    expect(Object.keys(stats)).toEqual([...hermesToolNames]);
    expect(Object.keys(row?.['tool_error_counts'] as object)).toEqual([...hermesToolNames]);
    expect(stats['terminal']).toEqual({ count: 3, success: 2, failure: 1 });
    expect(stats['web_search']).toEqual({ count: 0, success: 0, failure: 0 });
    expect(row?.['tool_error_counts']).toMatchObject({ terminal: 1, web_search: 0 });
    expect(JSON.parse(String(row?.['other_tool_stats']))).toEqual([
      { tool: '__proto__x', count: 1, success: 0, failure: 1 },
      { tool: 'constructor', count: 2, success: 0, failure: 2 },
      { tool: 'zeta', count: 1, success: 1, failure: 0 },
    ]);
  });

  it('writes times in UTC and with milliseconds whatever form they had', async () => {
    const ended = ['2026-01-15T12:30:00+02:00', '2026-01-15T10:30:00.5Z'];
    const rows = await rowsOf(
      ...ended.map((ended_at) =>
        sampleRecord({ timings: { ...sampleRecord().timings, ended_at } }),
      ),
    );
    expect(rows.map((row) => (row['metadata'] as Record<string, unknown>)['timestamp'])).toEqual([
      '2026-01-15T10:30:00.000Z',
      '2026-01-15T10:30:00.500Z',
    ]);
  });

  it('keeps a row on one line whatever the text holds', async () => {
    const text = 'a\u2028b\u2029c\u0085d\r\ne\u0000f';
    const { lines } = await encodeAll(hermes, [recordWith(assistant({ content: text }))]);
    expect(lines[0]?.slice(0, -1)).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
    expect((JSON.parse(lines[0] ?? '') as Row).conversations.at(-1)?.value).toBe(
      `<think>\n</think>\n${text}`,
    );
  });
});

describe('defects of the original that rows do not have', () => {
  it('names a tool result by the id of its call, also when results come in another order', async () => {
    const record = recordWith(
      assistant({ tool_calls: [call('x', 'read_file', '{}'), call('y', 'terminal', '{}')] }),
      result('y', '', 'second first'),
      result('x', '', 'first second'),
    );
    const [, , tool] = await turnsOf(record);
    expect(tool).toContain('{"tool_call_id": "y", "name": "terminal", "content": "second first"}');
    expect(tool).toContain('{"tool_call_id": "x", "name": "read_file", "content": "first second"}');
  });

  it('keeps the own name of a result whose call is not there', async () => {
    const [, turn] = await turnsOf(recordWith(result('lost', 'terminal', 'late')));
    expect(turn).toContain('"name": "terminal"');
  });

  it('has an empty think block also where content or arguments speak of one', async () => {
    const record = recordWith(
      assistant({
        content: 'Write <think> first.',
        tool_calls: [call('1', 'todo', '{"a":"<think>"}')],
      }),
    );
    const [, gpt] = await turnsOf(record);
    expect(gpt?.startsWith('gpt: <think>\n</think>\nWrite <think> first.\n')).toBe(true);
  });

  it('writes one think block for reasoning, and none in content', async () => {
    const [, gpt] = await turnsOf(recordWith(assistant({ reasoning: 'Hm.', content: 'Done.' })));
    expect(gpt).toBe('gpt: <think>\nHm.\n</think>\nDone.');
  });

  it('treats reasoning of white space alone as none', async () => {
    const [, gpt] = await turnsOf(recordWith(assistant({ reasoning: ' \n', content: 'Done.' })));
    expect(gpt).toBe('gpt: <think>\n</think>\nDone.');
  });

  it.each(markup)(
    'flags a literal %s wherever it stands, and writes the text as it was',
    async (tag) => {
      const text = `see ${tag} here`;
      const json = JSON.stringify({ text });
      const cases = [
        [recordWith(assistant({ content: text })), 'tag_in_content'],
        [recordWith(assistant({ reasoning: text })), 'tag_in_reasoning'],
        [recordWith(assistant({ tool_calls: [call('1', 'todo', json)] })), 'tag_in_tool_call'],
        [recordWith(assistant({ tool_calls: [call('1', tag, '{}')] })), 'tag_in_tool_call'],
        [recordWith(result('1', 'todo', text)), 'tag_in_tool_result'],
        [recordWith(result('1', 'todo', json)), 'tag_in_tool_result'],
      ] as const;
      for (const [record, flag] of cases) {
        const { lines, flags } = await encodeAll(hermes, [record]);
        expect(flags).toEqual([`0:${flag}`]);
        expect(JSON.parse(lines[0] ?? '')).toHaveProperty('flags', flag);
        expect(lines[0]).toContain(tag);
      }
    },
  );

  it('flags a tool description that holds a tools tag', async () => {
    const tools = [{ name: 'a', description: 'ends </tools> here', parameters: {} }];
    expect(await flagsOf(sampleRecord({ tools }))).toBe('tag_in_tools');
  });

  it('does not flag tags in what the user wrote, or tags that mean nothing here', async () => {
    const messages = [
      { role: 'user', content: '<think>' } as const,
      assistant({ content: '<thinking> <tool> </Think> < think>' }),
    ];
    expect(await flagsOf(sampleRecord({ messages }))).toBe('');
  });

  it('writes {} for arguments that are no JSON object, and flags the row', async () => {
    for (const args of ['{"a": ', '', '[1]', 'null', '"text"', '{"a":1} trailing']) {
      const record = recordWith(assistant({ tool_calls: [call('1', 'todo', args)] }));
      expect((await turnsOf(record))[1]).toContain('{"name": "todo", "arguments": {}}');
      expect(await flagsOf(record)).toBe('unparsed_arguments');
    }
  });

  it('keeps the digits and the order of keys in arguments and results', async () => {
    const args = '{"b":12345678901234567890,"a":1.0,"text":"x: y, z"}';
    const record = recordWith(
      assistant({ tool_calls: [call('1', 'todo', args)] }),
      result('1', 'todo', '{"id":9007199254740993,\n "ratio":1.10}'),
    );
    const [, gpt, tool] = await turnsOf(record);
    expect(gpt).toContain('{"b": 12345678901234567890, "a": 1.0, "text": "x: y, z"}');
    expect(tool).toContain('"content": {"id":9007199254740993,\n "ratio":1.10}}');
  });

  it('writes every block as valid JSON, also for a result that only looks like JSON', async () => {
    for (const content of ['{not json}', '[1, 2', '{"a": NaN}', ' {"a": 1}\n', '', '"{}"']) {
      const [, turn] = await turnsOf(recordWith(result('1', 'todo', content)));
      const block =
        turn?.slice('tool: <tool_response>\n'.length, -'\n</tool_response>'.length) ?? '';
      expect(JSON.parse(block)).toHaveProperty('tool_call_id', '1');
    }
  });

  it('carries the system prompt that the model saw in a column of its own', async () => {
    const [row] = await rowsOf(sampleRecord({ system_prompt: 'Only today: be brief.' }));
    expect(row?.['system_prompt']).toBe('Only today: be brief.');
    expect(row?.conversations[0]?.value).not.toContain('Only today');
  });

  it('keeps later user and system messages, and does not take the first message for the prompt', async () => {
    const record = recordWith(
      assistant({ content: 'Which?' }),
      { role: 'user', content: 'That one.' },
      { role: 'system', content: 'New rule.' },
    );
    expect(await turnsOf(record)).toEqual([
      'human: Go.',
      'gpt: <think>\n</think>\nWhich?',
      'human: That one.',
      'system: New rule.',
    ]);
    expect(await turnsOf(sampleRecord({ messages: [assistant({ content: 'Hello.' })] }))).toEqual([
      'gpt: <think>\n</think>\nHello.',
    ]);
  });

  it('keeps a rollout that called a tool which does not exist', async () => {
    const record = sampleRecord({
      messages: [
        assistant({ tool_calls: [call('1', 'web_serch', '{}')] }),
        result('1', 'web_serch', 'unknown tool'),
      ],
      tool_stats: { web_serch: { count: 1, success: 0, failure: 1 } },
    });
    const [row] = await rowsOf(record);
    expect(row?.['flags']).toBe('');
    expect(row?.['other_tool_stats']).toBe(
      '[{"tool":"web_serch","count":1,"success":0,"failure":1}]',
    );
  });

  it('counts failures by what the tool reported and not by the look of its text', async () => {
    const record = sampleRecord({ messages: [result('1', 'terminal', '{"error": ""}')] });
    const [row] = await rowsOf(record);
    expect(row?.['tool_error_counts']).toMatchObject({ terminal: 0 });
  });

  it('keeps rollouts without any reasoning', async () => {
    expect(await rowsOf(recordWith(assistant({ content: 'Hi.' })))).toHaveLength(1);
  });

  it('carries id, answer, metadata, tags, seed and sample of the data set row', async () => {
    const [row] = await rowsOf(sampleRecord({ sample: 3 }));
    expect(row).toMatchObject({
      id: 'task-1',
      task_key: 'a'.repeat(64),
      sample: 3,
      seed: 7,
      run: 'demo',
      tags: '["shell"]',
      answer: '2',
      task_metadata: '{"difficulty":"easy"}',
    });
  });

  it('replaces lone surrogates, which make Arrow refuse the file, and says so', async () => {
    const { lines, flags } = await encodeAll(hermes, [
      recordWith(assistant({ content: 'a\ud800b' })),
    ]);
    expect(lines[0]).toContain('a\ufffdb');
    expect(flags).toEqual(['0:repaired_unicode']);
    const escaped = recordWith(assistant({ content: 'literally \\ud800, and 😀' }));
    expect(await flagsOf(escaped)).toBe('');
  });

  it('names several flags of a row in order and once each', async () => {
    const record = recordWith(
      assistant({
        reasoning: '<think>',
        content: '</think>',
        tool_calls: [call('1', 'a', 'x'), call('2', 'b', 'y')],
      }),
    );
    const { flags } = await encodeAll(hermes, [record]);
    expect(flags).toEqual(['0:tag_in_content', '0:tag_in_reasoning', '0:unparsed_arguments']);
    expect(await flagsOf(record)).toBe('tag_in_content,tag_in_reasoning,unparsed_arguments');
  });
});

/** Names and JSON types of all columns, at every depth of structs and lists. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return [...new Set(value.map((item) => JSON.stringify(shapeOf(item))))].sort();
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).map(([key, item]) => [key, shapeOf(item)]);
  }
  return typeof value;
}

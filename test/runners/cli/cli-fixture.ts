import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchOptions, BatchResult } from '../../../runners/batch/batch.js';
import type { CliServices } from '../../../runners/cli/cli-services.js';
import type { CommandContext, Output } from '../../../runners/cli/command-context.js';
import { type SignalSource, watchInterrupts } from '../../../runners/cli/interrupts.js';
import { runCommand } from '../../../runners/cli/run-command.js';
import type { RunReader, RunStats, TaskStats } from '../../../runners/store/run-reader.js';
import type { RunCounts } from '../../../runners/store/run-store.js';
import { systemClock } from '../../../src/clock.js';
import type { Message } from '../../../src/messages/message.js';
import type { RolloutRecord } from '../../../src/rollout/record.js';
import { folderWith, testCatalog } from '../config/config-fixture.js';

/** What one command line left. */
export interface CliOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly cwd: string;
  /** What the batch engine was asked for. */
  readonly batches: readonly BatchOptions[];
}

export interface CliSetup {
  readonly files?: { readonly [path: string]: string };
  readonly services?: Partial<CliServices>;
  readonly result?: Partial<BatchResult>;
  readonly records?: readonly RolloutRecord[];
  readonly env?: { readonly [name: string]: string };
  /** Called while the batch runs, with what sends a signal. */
  readonly during?: (send: (signal: string) => void, options: BatchOptions) => void;
  /** @default true */
  readonly hasTerminal?: boolean;
  readonly onLeave?: () => void;
  /** Runs that exist, by path. */
  readonly runs?: readonly string[];
  /** After how many writes nobody reads stdout any more. */
  readonly readerLeavesAfter?: number;
}

/** Runs the command line in a folder of its own, with a batch engine and a store that only pretend. */
export async function talaria(argv: readonly string[], setup: CliSetup = {}): Promise<CliOutcome> {
  const cwd = await folderWith(setup.files ?? {});
  for (const run of setup.runs ?? []) {
    mkdirSync(join(cwd, run), { recursive: true });
    writeFileSync(join(cwd, run, 'run.db'), '');
  }
  const batches: BatchOptions[] = [];
  const signals = new Map<string, (() => void)[]>();
  const source: SignalSource = {
    on: (signal, listener) => void signals.set(signal, [...(signals.get(signal) ?? []), listener]),
  };
  const services: CliServices = {
    async runBatch(options) {
      batches.push(options);
      options.reporter.onStart?.({
        name: options.config.name,
        directory: options.config.out,
        resumed: options.resume,
        concurrency: 1,
        threads: 1,
      });
      setup.during?.(
        (signal) => signals.get(signal)?.forEach((listener) => void listener()),
        options,
      );
      options.reporter.onEnd?.();
      return batchResult(setup.result);
    },
    dryRun: () => Promise.reject(new Error('no dry run here')),
    openRunReader: async () => fakeReader(setup.records ?? []),
    loadFormat: async (name) => ({
      name,
      description: '',
      extension: 'jsonl',
      losses: [],
      async *encode(records, options) {
        for await (const record of records) {
          options.onFlag(record.task_key, record.sample, 'odd');
          yield `${options.systemPreamble ?? ''}${record.task_key}#${record.sample}\n`;
        }
      },
    }),
    async writeExport({ format, records, path, options }) {
      let rows = 0;
      let text = '';
      for await (const piece of format.encode(records, options)) {
        text += piece;
        rows++;
      }
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, text);
      return { rows, flagged: rows, path };
    },
    catalog: async () => testCatalog,
    sweep: async () => [],
    ...setup.services,
  };
  const stdout = fakeOutput(setup.readerLeavesAfter);
  const stderr = fakeOutput();
  const context: CommandContext = {
    stdout: stdout.output,
    stderr: stderr.output,
    env: setup.env ?? {},
    cwd,
    clock: systemClock,
    interrupts: () =>
      watchInterrupts({
        source,
        hasTerminal: setup.hasTerminal ?? true,
        leave: () => setup.onLeave?.(),
      }),
    services,
  };
  const code = await runCommand(argv, context);
  return { code, stdout: stdout.text(), stderr: stderr.text(), cwd, batches };
}

function fakeOutput(leavesAfter = Number.POSITIVE_INFINITY): {
  readonly output: Output;
  text(): string;
} {
  const parts: string[] = [];
  return {
    output: {
      async write(text) {
        if (parts.length >= leavesAfter) {
          return false;
        }
        parts.push(text);
        return true;
      },
      isTerminal: false,
      columns: 80,
      stream: null,
    },
    text: () => parts.join(''),
  };
}

export function counts(changes: Partial<RunCounts> = {}): RunCounts {
  return {
    tasks: 2,
    rollouts: 4,
    pending: 0,
    byStatus: { completed: 4, truncated: 0, failed: 0, cancelled: 0, discarded: 0 },
    promptTokens: 1000,
    completionTokens: 234,
    modelCalls: 9,
    costUsd: null,
    ...changes,
  };
}

export function failures(failed: number): RunCounts {
  return counts({
    byStatus: { completed: 4 - failed, truncated: 0, failed, cancelled: 0, discarded: 0 },
  });
}

function batchResult(changes: Partial<BatchResult> = {}): BatchResult {
  return {
    end: 'done',
    reason: null,
    counts: counts(),
    modelCalls: 9,
    finishedNow: 4,
    mergedRows: 0,
    skippedRows: 0,
    ...changes,
  };
}

function fakeReader(records: readonly RolloutRecord[]): RunReader {
  return {
    runId: 'id',
    name: 'my-run',
    async *records({ statuses, minReward } = {}) {
      for (const record of records) {
        const low = minReward !== undefined && (record.reward ?? -1) < minReward;
        if (!low && (statuses === undefined || statuses.includes(record.status))) {
          yield record;
        }
      }
    },
    find(task, sample) {
      const record = records.find((one) => one.task_key === task && one.sample === sample) ?? null;
      return {
        taskKey: task,
        sample,
        task: { ...plainTask, prompt: 'Do it.' },
        record,
        journal: [
          {
            sequence: 0,
            requestHash: '',
            reply: JSON.stringify({ content: 'so far', reasoning: null, tool_calls: [] }),
          },
        ],
      };
    },
    stats: () => stats,
    close: () => undefined,
  };
}

const plainTask = {
  id: null,
  image: null,
  cwd: null,
  files: [],
  setup: null,
  requires: [],
  folder: null,
  digest: null,
  agent_timeout_s: null,
  tests_timeout_s: null,
  tags: [],
  answer: null,
  metadata: {},
} as const;

const stats: RunStats = {
  counts: counts(),
  unplanned: 0,
  byExitReason: { finished: 4 },
  byErrorClass: {},
  byDiscardReason: {},
  rewards: [{ name: 'tests', scored: 4, notApplicable: 0, failed: 0, mean: 0.75 }],
  meanReward: 0.75,
  tools: { terminal: { count: 8, success: 7, failure: 1 } },
  reasoning: { turns: 9, turnsWithReasoning: 3 },
  replayedCalls: 0,
  wastedCalls: 0,
  retries: 1,
  cachedTokens: 0,
  reasoningTokens: 0,
  turns: 9,
  rolloutSeconds: 61,
  tasks: () => manyTasks,
};

const manyTasks: readonly TaskStats[] = Array.from({ length: 25 }, (_, index) => ({
  taskKey: String(index).padStart(64, '0'),
  id: index === 0 ? 'word-\u001b[2Jcount' : null,
  samples: 2,
  done: 2,
  completed: 2,
  failed: 0,
  passed: index === 0 ? 1 : 0,
  scored: index === 0 ? 2 : 0,
  meanReward: null,
  turns: 5,
  seconds: 1.26,
}));

export function record(changes: Partial<RolloutRecord> = {}): RolloutRecord {
  const messages: readonly Message[] = [
    { role: 'system', content: 'Be good.' },
    { role: 'user', content: 'Count.' },
    {
      role: 'assistant',
      content: 'Sure \u001b[31mred\u001b[0m',
      reasoning: 'Let me think.',
      tool_calls: [{ id: 'call_1', name: 'terminal', arguments: '{"command":"wc -l f"}' }],
      finish_reason: 'tool_calls',
      model: 'm',
    },
    {
      role: 'tool',
      tool_call_id: 'call_1',
      name: 'terminal',
      content: '\u001b]0;owned\u00073\n',
      status: 'ok',
      original_chars: 2,
      tier: null,
      sha256: '',
      seconds: 0,
    },
  ];
  return {
    schema: 'talaria/record/1',
    run: 'r',
    environment: 'prompts',
    task_key: 'k1',
    sample: 0,
    attempt: 1,
    seed: 1,
    task: {
      id: 'count',
      prompt: 'Count.',
      image: null,
      cwd: null,
      tags: [],
      answer: null,
      metadata: {},
    },
    status: 'completed',
    exit_reason: 'finished',
    error: null,
    discard_reason: null,
    model: 'openai:m',
    toolsets: ['terminal'],
    toolsets_skipped: [],
    tools: [],
    system_prompt: 'Be good.',
    messages,
    rewards: [
      {
        name: 'tests',
        weight: 1,
        state: 'scored',
        value: 1,
        metrics: {},
        explanation: null,
        error: null,
        seconds: 0,
      },
    ],
    reward: 1,
    verify: 'fresh',
    annotations: {},
    turns: 1,
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      cached_tokens: 0,
      reasoning_tokens: 0,
      model_calls: 1,
      replayed_calls: 0,
      wasted_calls: 0,
      retries: 0,
      source: 'server',
    },
    cost_usd: null,
    timings: {
      started_at: '',
      ended_at: '',
      total_s: 1,
      setup_s: 0,
      model_s: 1,
      tools_s: 0,
      rewards_s: 0,
    },
    tool_stats: {},
    tokens: null,
    sandbox: null,
    versions: {},
    ...changes,
  };
}

import type { Command, CommandFlag } from './command.js';

const json: CommandFlag = { name: 'json', placeholder: '', help: 'Print JSON' };
const listKinds = 'tools|toolsets|distributions|models|environments|rewards|formats';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'run',
    usage: '[config.yaml] [options]',
    summary: 'Generate trajectories',
    takesOptions: true,
    positionals: [0, 1],
    flags: [
      {
        name: 'resume',
        placeholder: '',
        help: 'Go on with an existing run: only what is missing is run',
      },
      {
        name: 'dry-run',
        placeholder: '',
        help: 'Show what would be run and the first request; no model call',
      },
      {
        name: 'set',
        placeholder: 'KEY=VALUE',
        help: 'Set any option of the configuration',
        repeats: true,
      },
      {
        name: 'json',
        placeholder: '',
        help: 'Progress as JSON lines on stderr, the result as JSON on stdout',
      },
      { name: 'quiet', placeholder: '', help: 'No progress; warnings and the result only' },
      {
        name: 'list-distributions',
        placeholder: '',
        help: 'The same as: talaria list distributions',
      },
    ],
    examples: [
      'talaria run my-run.yaml --limit 5 --dry-run',
      'talaria run my-run.yaml --resume',
      'talaria run --dataset-file prompts.jsonl --run-name first --model openai:my-model --base-url http://127.0.0.1:8000/v1',
    ],
    load: async () => (await import('./commands/run.js')).run,
  },
  {
    name: 'export',
    usage: '<run> --format F [options]',
    summary: 'Write data sets from a run, finished or running',
    positionals: [1, 1],
    flags: [
      { name: 'format', placeholder: 'F', help: 'Export format; see: talaria list formats' },
      { name: 'out', placeholder: 'PATH', help: 'Where to; - is stdout (default: <run>/export/)' },
      {
        name: 'where',
        placeholder: 'CONDITIONS',
        help: 'Only rows for which all hold: status=completed|truncated,exit_reason=finished,reward>=1,task=ID|ID',
        repeats: true,
      },
      {
        name: 'system-preamble',
        placeholder: 'FILE',
        help: 'Text in place of the built-in preamble of the system turn',
      },
    ],
    examples: [
      'talaria export runs/my-run --format hermes --out my-run.jsonl',
      'talaria export my-run --format hermes --where "reward>=1" --out -',
    ],
    load: async () => (await import('./commands/export.js')).exportRun,
  },
  {
    name: 'stats',
    usage: '<run> [--json]',
    summary: 'Counts, rewards, tools, reasoning, tokens and cost of a run',
    positionals: [1, 1],
    flags: [json],
    examples: ['talaria stats runs/my-run --json'],
    load: async () => (await import('./commands/stats.js')).stats,
  },
  {
    name: 'show',
    usage: '<run> <task>[#sample]',
    summary: 'One trajectory, finished or running',
    positionals: [2, 2],
    flags: [{ name: 'full', placeholder: '', help: 'Long texts in full' }, json],
    examples: ["talaria show runs/my-run 'word-count#1'", 'talaria show my-run 3fa8'],
    load: async () => (await import('./commands/show.js')).show,
  },
  {
    name: 'list',
    usage: listKinds,
    summary: 'What this build has',
    positionals: [1, 1],
    flags: [json],
    examples: ['talaria list tools'],
    load: async () => (await import('./commands/list.js')).list,
  },
  {
    name: 'clean',
    usage: '[--json]',
    summary: 'Remove sandboxes that killed runs left; each run does it when it starts, too',
    positionals: [0, 0],
    flags: [json],
    examples: ['talaria clean'],
    load: async () => (await import('./commands/clean.js')).clean,
  },
];

import { computed, environmentName, type Option, required } from '../config/option.js';
import { options, sectionNames } from '../config/option-table.js';
import type { Command } from './command.js';
import { commands } from './commands.js';
import { originalFlags } from './original-flags.js';

/** `talaria --help`. */
export function mainHelp(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Talaria generates agent trajectories in bulk.',
    '',
    'Usage: talaria <command> [arguments]',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  talaria <command> --help   what a command takes',
    '  talaria --version          the version',
    '',
    'Exit codes: 0 done; 1 done, but more rollouts failed than allowed; 2 usage or configuration;',
    '3 stopped early, resumable; 130 interrupted, resumable.',
    '',
  ].join('\n');
}

/** `talaria <command> --help`; that of `run` is made from the option table. */
export function commandHelp(command: Command): string {
  return [
    `${command.summary}.`,
    '',
    `Usage: talaria ${command.name} ${command.usage}`,
    '',
    ...(command.flags.length > 0
      ? table(command.flags.map((flag) => [flagText(flag.name, flag.placeholder), flag.help]))
      : []),
    ...(command.takesOptions === true ? optionHelp() : []),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function optionHelp(): readonly string[] {
  const sections = ['', ...sectionNames.filter((name) => name !== 'models')];
  const lines = sections.flatMap((section) => {
    const own = options.filter(({ key }) =>
      section === '' ? !key.includes('.') : key.startsWith(`${section}.`),
    );
    return [
      '',
      section === '' ? 'The run:' : `${section}:`,
      ...table(own.map((option) => [optionFlag(option), optionText(option)])),
    ];
  });
  return [
    '',
    'Each option is a key of the configuration file, a flag, and an environment variable: agent.max_turns is',
    `--max-turns and ${environmentName('agent.max_turns')}. Flags win over --set, then variables, then the file, then`,
    'what it extends. Flags may be written with underscores.',
    ...lines,
    '',
    'Flags of the Hermes batch runner:',
    ...table(originalFlags.map((flag) => [flagText(flag.name, flag.placeholder), flag.help])),
  ];
}

/** A switch that is on by default is shown with what turns it off. */
function optionFlag({ key, flag, type, fallback }: Option): string {
  if (flag === null) {
    return `(${key})`;
  }
  return flagText(fallback === true ? `[no-]${flag}` : flag, type.placeholder);
}

function optionText(option: Option): string {
  const other = (option.aliases ?? []).map((alias) => `--${alias}`).join(', ');
  return `${option.help} [${option.key}${fallbackText(option)}]${other === '' ? '' : `; also ${other}`}`;
}

function fallbackText({ fallback, fallbackHelp }: Option): string {
  if (fallbackHelp !== undefined) {
    return `; default: ${fallbackHelp}`;
  }
  if (fallback === null || fallback === computed || fallback === required) {
    return '';
  }
  const text = JSON.stringify(fallback).replaceAll('"', '');
  return text === '{}' || text === '[]' ? '' : `; default: ${text}`;
}

function flagText(name: string, placeholder: string): string {
  return placeholder === '' ? `--${name}` : `--${name} ${placeholder}`;
}

/** Two columns; a long first one stands on a line of its own. */
function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = 30;
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${' '.repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`],
  );
}

import type { FlagSetting } from '../config/read-settings.js';
import type { CommandContext } from './command-context.js';

/** A command: what the help says of it, what it takes, and how it is loaded. */
export interface Command {
  readonly name: string;
  /** What follows the name, for the usage line. */
  readonly usage: string;
  readonly summary: string;
  readonly flags: readonly CommandFlag[];
  /** Takes every option of the configuration as a flag, and those of the original batch runner. */
  readonly takesOptions?: true;
  /** Positional arguments: at least and at most. */
  readonly positionals: readonly [least: number, most: number];
  readonly examples: readonly string[];
  load(): Promise<CommandBody>;
}

export interface CommandFlag {
  /** Without the dashes. */
  readonly name: string;
  readonly help: string;
  /** What stands for the value in the help; empty for a switch. */
  readonly placeholder: string;
  readonly repeats?: true;
}

/** Runs a command. Resolves to the exit code; a TalariaError is shown to the user. */
export type CommandBody = (parsed: ParsedArguments, context: CommandContext) => Promise<number>;

/** A command line, taken apart. */
export interface ParsedArguments {
  readonly positionals: readonly string[];
  /** The command's own flags; a switch that is on has the value `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Flags that stand for options of the configuration. */
  readonly settings: readonly FlagSetting[];
  readonly apiKey: string | null;
  /** Sentences for the user: flags that are accepted and do nothing. */
  readonly notes: readonly string[];
  /** The command line as it was, for the hint how to resume. */
  readonly argv: readonly string[];
}

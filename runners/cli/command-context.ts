import type { Clock } from '../../src/clock.js';
import type { CliServices } from './cli-services.js';
import type { Interrupts } from './interrupts.js';

/** What a command may touch of the process. Only main.ts makes a real one. */
export interface CommandContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly clock: Clock;
  /** Takes over the signals; a command that does not call it ends on Ctrl-C as any program does. */
  interrupts(): Interrupts;
  readonly services: CliServices;
}

/** stdout or stderr. */
export interface Output {
  /** Resolves once the text is taken; to false when nobody reads any more (`| head`). Never rejects. */
  write(text: string): Promise<boolean>;
  readonly isTerminal: boolean;
  /** Columns of the terminal; 80 elsewhere. */
  readonly columns: number;
  /** The stream itself, for the progress bar. */
  readonly stream: NodeJS.WriteStream | null;
}
